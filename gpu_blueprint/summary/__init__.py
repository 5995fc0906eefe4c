"""The facts of a stack that people and programs ask for, and explanations of each of its parts."""

from .cpu_pool_chain import explain_cpu_pool
from .model_chain import explain_model
from .pool_chain import explain_pool as explain_pool
from .service_chain import explain_service
from .stack_chain import explain_stack
from .step import Step
from .storage_chain import explain_storage
from .tenant_chain import explain_tenant

__all__ = [
    "Step",
    "explain_cpu_pool",
    "explain_model",
    "explain_pool",
    "explain_service",
    "explain_stack",
    "explain_storage",
    "explain_tenant",
]
