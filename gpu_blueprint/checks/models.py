"""The rules about models, in their order."""

from collections.abc import Callable, Iterator

from ..config import StackConfig
from ..problem import Problem
from .model_caches import refuse_stated_caches
from .model_flags import refuse_wrong_flags, suggest_caution_with_flags
from .model_formats import (
    refuse_formats_that_gpus_lack,
    refuse_quantizations_of_other_releases,
    suggest_formats_for_experts,
    suggest_formats_of_the_gpu,
    suggest_quantization_at_load,
)
from .model_images import (
    refuse_images_of_two_servers,
    refuse_images_that_cannot_run,
    refuse_images_that_tenants_may_not_run,
    refuse_images_without_digest,
    refuse_moving_tags,
    refuse_plans_of_other_releases,
    refuse_tags_of_other_images,
    suggest_images_of_the_driver,
    warn_of_plans_without_tag,
    warn_of_unknown_images,
)
from .model_memory import (
    refuse_models_beyond_memory,
    refuse_models_over_parts,
    refuse_triton_beyond_memory,
    refuse_utilization_above_share,
    suggest_free_memory,
)
from .model_names import (
    refuse_callers_of_one_name,
    refuse_long_deployments,
    refuse_repeated_models,
    refuse_taken_accounts,
    suggest_checking_callers,
    warn_of_mistaken_callers,
)
from .model_pools import (
    refuse_drains_beyond_nodes,
    suggest_several_spot_nodes,
    warn_of_lonely_replicas_on_spot,
    warn_of_models_in_other_pools,
)
from .model_room import (
    refuse_downloads_beyond_disks,
    refuse_models_above_room,
    warn_of_little_memory,
    warn_of_rollouts_without_room,
)
from .model_shares import suggest_changes_of_next_versions, suggest_replicas_for_shares
from .model_sources import (
    refuse_impossible_sources,
    suggest_paths_below_prefixes,
    suggest_token_secrets,
    warn_of_downloads_in_production,
    warn_of_paths_inside_models,
)
from .served_weights import suggest_policies_for_served_weights, warn_of_writers_of_served_weights

_Check = Callable[[StackConfig], Iterator[Problem]]

MODEL_PROBLEMS: tuple[_Check, ...] = (
    refuse_repeated_models,
    refuse_taken_accounts,
    refuse_long_deployments,
    refuse_callers_of_one_name,
    refuse_impossible_sources,
    refuse_formats_that_gpus_lack,
    refuse_quantizations_of_other_releases,
    refuse_models_over_parts,
    refuse_utilization_above_share,
    refuse_models_beyond_memory,
    refuse_stated_caches,
    refuse_triton_beyond_memory,
    refuse_models_above_room,
    refuse_downloads_beyond_disks,
    refuse_moving_tags,
    refuse_tags_of_other_images,
    refuse_images_of_two_servers,
    refuse_images_without_digest,
    refuse_images_that_cannot_run,
    refuse_images_that_tenants_may_not_run,
    refuse_plans_of_other_releases,
    refuse_wrong_flags,
    refuse_drains_beyond_nodes,
)
"""Rules that refuse a stack."""

MODEL_WARNINGS: tuple[_Check, ...] = (
    warn_of_writers_of_served_weights,
    warn_of_mistaken_callers,
    warn_of_models_in_other_pools,
    warn_of_lonely_replicas_on_spot,
    warn_of_unknown_images,
    warn_of_plans_without_tag,
    warn_of_downloads_in_production,
    warn_of_little_memory,
    warn_of_rollouts_without_room,
    warn_of_paths_inside_models,
)
"""Rules for stacks without problems."""

MODEL_HINTS: tuple[_Check, ...] = (
    suggest_policies_for_served_weights,
    suggest_quantization_at_load,
    suggest_formats_for_experts,
    suggest_formats_of_the_gpu,
    suggest_images_of_the_driver,
    suggest_caution_with_flags,
    suggest_checking_callers,
    suggest_token_secrets,
    suggest_paths_below_prefixes,
    suggest_replicas_for_shares,
    suggest_several_spot_nodes,
    suggest_changes_of_next_versions,
    suggest_free_memory,
)
"""Rules that point out what may be meant."""
