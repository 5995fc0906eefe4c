"""Mutants that behave like the rule in every case → the reason. The test fails where such a mutant is noticed."""

EQUIVALENT = {
    (
        "cost._refuse_high_cost: max(costs.usd, key=lambda urn: costs.usd[urn], default='') → "
        "max(costs.usd, key=lambda urn: costs.usd[urn], default='~')"
    ): "without pools there is no cost, and no pool to blame",
    (
        "tags.list_missing_tags: resource.type.startswith('aws:') and resource.kind in TAGGED → "
        "resource.type.startswith('aws:')"
    ): "judge passes only these kinds; remediation passes all kinds, see test_pack.py",
    (
        "queues._FOREIGN_NAMESPACE: {'kubernetes.io/metadata.name': 'a-namespace-of-somebody'} → "
        "{'kubernetes.io/metadata.name': '~a-namespace-of-somebody'}"
    ): "any name that no selector states serves",
    (
        "evictions._refuse_blocking_budget: _count(budget, 'maxUnavailable', 1) → _count(budget, 'maxUnavailable', 2)"
    ): "no part of any number of pods is no pod",
    **{
        "effects.reach._UNLIMITED_VALUES: ['any.us-east-1.amazonaws.com', 'any.us-gov-west-1.amazonaws.com'] → "
        f"[{found}]": ("a service that does not exist; every wildcard for its name serves")
        for found in (
            "'any.us-east-1.amazonaws.com', '~any.us-gov-west-1.amazonaws.com'",
            "'~any.us-east-1.amazonaws.com', 'any.us-gov-west-1.amazonaws.com'",
        )
    },
    "effects.helm_texts._walk: ('values',) → ('~values',)": "the words of a message about values without any key",
    (
        "effects.karpenter_objects.list_more_spot_types: "
        "'spot' in row.usage_classes and row.regions.issuperset(regions) → row.regions.issuperset(regions)"
    ): "EC2 sells every type as spot that has as many of the same GPU as another type",
    "queues._refuse_empty_promises: total > limit → total >= limit": "isclose leaves equal sums out",
}
