"""Rules that need two sections of a stack: functions from the config to Problems, listed here in their order."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date

from ..config import StackConfig
from ..problem import Problem
from .accounts import refuse_arns_of_other_accounts, warn_of_principals_of_other_accounts
from .alert_receivers import warn_of_unheard_alerts
from .alerts_off import refuse_unknown_alerts
from .architectures import warn_of_mixed_architectures
from .buckets import (
    refuse_bucket_names,
    refuse_prefixes_of_other_tenants,
    refuse_storage_keys_outside_region,
    refuse_two_keys_of_a_bucket,
    refuse_two_owners_of_a_bucket,
    warn_of_two_writers,
)
from .budgets import refuse_billing_without_budget, refuse_costs_above_bounds, warn_of_unknown_prices
from .capacity import (
    refuse_pools_without_overlay,
    refuse_small_subnets,
    warn_of_tight_subnets,
    warn_of_unreachable_ceilings,
)
from .cpu_capacity import refuse_small_cpu_pools, warn_of_closed_cpu_pools, warn_of_unusable_slots
from .dated import DATED_WARNINGS
from .efa import suggest_efa_for_training
from .gpu_health import (
    refuse_repair_of_unwatched_nodes,
    warn_of_blocked_mig_managers,
    warn_of_hasty_repair,
    warn_of_unwatched_gpus,
)
from .headroom import refuse_impossible_headroom, warn_of_crowded_headroom
from .helm_values import HELM_VALUES, warn_of_replaced_helm_values
from .identities import refuse_identities_without_grant, refuse_large_identities, refuse_wide_statements
from .images import (
    refuse_mirrors_in_the_cache,
    suggest_endpoint_for_s3,
    warn_of_distant_mirrors,
    warn_of_images_outside_the_cache,
)
from .isolation import warn_of_tenants_on_one_gpu
from .models import MODEL_HINTS, MODEL_PROBLEMS, MODEL_WARNINGS
from .names import refuse_long_cluster_names, refuse_repeated_services, refuse_shared_names, refuse_taken_namespaces
from .network import (
    note_zones_without_control_plane,
    refuse_overlapping_service_cidr,
    refuse_pool_zones_outside_network,
    refuse_reservation_zones_outside_network,
    warn_of_unreachable_api,
)
from .prepull import suggest_prepull_beside_nvme, warn_of_images_that_nobody_may_run
from .queue_ceilings import refuse_ceilings_that_count_wrongly, warn_of_ceilings_above_stack
from .queue_limits import refuse_queues_above_kueues_limits
from .queue_waits import (
    refuse_hasty_timeouts,
    warn_of_borrowing_of_reserved_gpus,
    warn_of_gangs_beyond_reach,
    warn_of_jobs_in_serving_pools,
    warn_of_queues_outside_hours,
    warn_of_short_timeouts,
    warn_of_strict_order,
)
from .queues import (
    refuse_impossible_borrowing,
    refuse_lonely_gangs,
    refuse_oversold_queues,
    refuse_queues_without_effect,
    refuse_services_in_queued_pools,
)
from .regions import (
    refuse_cpu_pools_outside_region,
    refuse_gpus_outside_region,
    refuse_key_outside_region,
    refuse_types_outside_region,
    refuse_zones_outside_region,
)
from .reservations import (
    refuse_mixed_placement_groups,
    refuse_repeated_reservations,
    refuse_unusable_reservations,
    suggest_room_for_fallbacks,
    warn_of_idle_reservations,
    warn_of_reservations_outside_hours,
)
from .resource_names import refuse_slices_named_as_gpus, warn_of_shared_resource_names
from .service_signals import (
    judge_experimental_queries,
    refuse_overlapping_pod_labels,
    refuse_scaling_without_prometheus,
    refuse_unmeasured_signals,
    warn_of_queries_without_one_number,
)
from .services import (
    refuse_impossible_services,
    refuse_services_above_quota_together,
    warn_of_replicas_outside_hours,
    warn_of_rollouts_that_wait,
    warn_of_services_that_wait_for_each_other,
)
from .sizes import refuse_pods_above_nodes, warn_of_large_nodes, warn_of_unsold_slots
from .spot import suggest_checkpoints_of_notebooks, warn_of_few_spot_offerings
from .start_times import (
    refuse_unreachable_weights,
    refuse_weights_beyond_storage,
    warn_of_starts_beyond_timeouts,
)
from .storage import (
    STORAGE_HINTS,
    refuse_impossible_imports,
    refuse_pools_outside_storage_zone,
    refuse_repeated_storage,
    refuse_storage_of_unknown_tenants,
    refuse_storage_zones_outside_network,
    refuse_storage_zones_outside_region,
    warn_of_mounts_without_memory,
    warn_of_storage_that_stays_empty,
)
from .system_nodes import refuse_small_system_nodes
from .tenancy import warn_of_admission_that_only_warns
from .tenant_quotas import refuse_unreachable_quotas, warn_of_promises_above_ceilings, warn_of_unusable_pools
from .unused_fields import warn_of_weights_without_fair_shares
from .versions import (
    refuse_old_amis,
    refuse_repair_budgets_without_repair,
)

Check = Callable[[StackConfig], Iterator[Problem]]

MISMATCHES: tuple[Check, ...] = (
    refuse_zones_outside_region,
    refuse_overlapping_service_cidr,
    refuse_long_cluster_names,
    refuse_key_outside_region,
    refuse_billing_without_budget,
    refuse_arns_of_other_accounts,
    refuse_wide_statements,
    refuse_identities_without_grant,
    refuse_taken_namespaces,
    refuse_pool_zones_outside_network,
    refuse_types_outside_region,
    refuse_gpus_outside_region,
    refuse_cpu_pools_outside_region,
    refuse_pods_above_nodes,
    refuse_old_amis,
    refuse_storage_zones_outside_region,
    refuse_storage_keys_outside_region,
    refuse_bucket_names,
)
"""Rules that also check models with problems of their own; the rules below rely on these rules."""

PROBLEMS: tuple[Check, ...] = (
    refuse_unreachable_quotas,
    refuse_slices_named_as_gpus,
    refuse_impossible_headroom,
    refuse_impossible_services,
    refuse_unmeasured_signals,
    refuse_repeated_services,
    refuse_shared_names,
    refuse_overlapping_pod_labels,
    refuse_services_above_quota_together,
    refuse_scaling_without_prometheus,
    refuse_unknown_alerts,
    judge_experimental_queries,
    refuse_mixed_placement_groups,
    refuse_repeated_reservations,
    refuse_reservation_zones_outside_network,
    refuse_unusable_reservations,
    refuse_pools_without_overlay,
    refuse_small_subnets,
    refuse_small_system_nodes,
    refuse_small_cpu_pools,
    refuse_repair_of_unwatched_nodes,
    refuse_repair_budgets_without_repair,
    *HELM_VALUES,
    refuse_costs_above_bounds,
    refuse_large_identities,
    refuse_queues_without_effect,
    refuse_impossible_borrowing,
    refuse_oversold_queues,
    refuse_services_in_queued_pools,
    refuse_lonely_gangs,
    refuse_queues_above_kueues_limits,
    refuse_hasty_timeouts,
    refuse_ceilings_that_count_wrongly,
    refuse_repeated_storage,
    refuse_storage_of_unknown_tenants,
    refuse_storage_zones_outside_network,
    refuse_impossible_imports,
    refuse_pools_outside_storage_zone,
    refuse_two_keys_of_a_bucket,
    refuse_two_owners_of_a_bucket,
    refuse_prefixes_of_other_tenants,
    refuse_unreachable_weights,
    refuse_weights_beyond_storage,
    refuse_mirrors_in_the_cache,
    *MODEL_PROBLEMS,
)
"""Rules for stacks whose models have no problems of their own, and which passed the rules above."""

WARNINGS: tuple[Check, ...] = (
    warn_of_admission_that_only_warns,
    warn_of_principals_of_other_accounts,
    warn_of_promises_above_ceilings,
    warn_of_unusable_slots,
    warn_of_shared_resource_names,
    warn_of_unusable_pools,
    warn_of_tenants_on_one_gpu,
    warn_of_services_that_wait_for_each_other,
    warn_of_replicas_outside_hours,
    warn_of_rollouts_that_wait,
    warn_of_unheard_alerts,
    warn_of_queries_without_one_number,
    warn_of_crowded_headroom,
    warn_of_idle_reservations,
    warn_of_few_spot_offerings,
    warn_of_mixed_architectures,
    warn_of_closed_cpu_pools,
    warn_of_large_nodes,
    warn_of_unsold_slots,
    warn_of_unreachable_ceilings,
    warn_of_unwatched_gpus,
    warn_of_blocked_mig_managers,
    warn_of_reservations_outside_hours,
    warn_of_unreachable_api,
    warn_of_hasty_repair,
    warn_of_tight_subnets,
    warn_of_unknown_prices,
    warn_of_short_timeouts,
    warn_of_starts_beyond_timeouts,
    warn_of_queues_outside_hours,
    warn_of_strict_order,
    warn_of_jobs_in_serving_pools,
    warn_of_weights_without_fair_shares,
    warn_of_replaced_helm_values,
    warn_of_borrowing_of_reserved_gpus,
    warn_of_gangs_beyond_reach,
    warn_of_ceilings_above_stack,
    warn_of_storage_that_stays_empty,
    warn_of_two_writers,
    warn_of_mounts_without_memory,
    warn_of_images_that_nobody_may_run,
    warn_of_images_outside_the_cache,
    warn_of_distant_mirrors,
    *MODEL_WARNINGS,
)
"""Rules for stacks without problems."""

HINTS: tuple[Check, ...] = (
    suggest_room_for_fallbacks,
    suggest_efa_for_training,
    suggest_checkpoints_of_notebooks,
    *STORAGE_HINTS,
    suggest_endpoint_for_s3,
    suggest_prepull_beside_nvme,
    note_zones_without_control_plane,
    *MODEL_HINTS,
)
"""Rules that point out what may be meant: their notes make no stack wrong or unwise."""


def find_mismatches(stack: StackConfig) -> Iterator[Problem]:
    """Yield sections that contradict each other, also in a stack whose models have problems of their own."""
    for check in MISMATCHES:
        yield from check(stack)


def find_problems(stack: StackConfig) -> Iterator[Problem]:
    """Yield everything that makes a stack impossible; its models must be without problems and mismatches."""
    yield from _report_once(problem for check in PROBLEMS for problem in check(stack))


def _report_once(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield each problem once: the two versions of a model may have the same."""
    yield from dict.fromkeys(problems)


def find_warnings(stack: StackConfig, today: date) -> Iterator[Problem]:
    """Yield everything that is legal but unwise in a stack without problems, on a day."""
    yield from _report_once(problem for check in WARNINGS for problem in check(stack))
    for dated in DATED_WARNINGS:
        yield from dated(stack, today)


def find_hints(stack: StackConfig) -> Iterator[Problem]:
    """Yield notes on a stack without problems, which its authors may have meant otherwise."""
    yield from _report_once(problem for check in HINTS for problem in check(stack))
