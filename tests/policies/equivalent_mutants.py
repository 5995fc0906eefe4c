"""Mutants that behave like the rule in every case → the reason. The test fails where such a mutant is noticed."""

EQUIVALENT = {
    (
        "cost._refuse_high_cost: max(costs.usd, key=lambda urn: costs.usd[urn], default='') → "
        "max(costs.usd, key=lambda urn: costs.usd[urn], default='~')"
    ): "without pools there is no cost, and no pool to blame",
    (
        "gpu_operator._refuse_second_dcgm_engine: addon.get('configurationValues', default='') or '{}' → "
        "addon.get('configurationValues', default='')"
    ): "YAML reads an empty text as null, which becomes {} as well",
    (
        "iam._refuse_unlimited_pass_role: "
        "targets == [] and 'NotResource' in statement and _find_allowed(statement, 'iam:PassRole') → "
        "'NotResource' in statement and _find_allowed(statement, 'iam:PassRole')"
    ): "IAM refuses Resource beside NotResource",
    (
        "effects.karpenter_objects._admits: "
        "value is not None and value.isdecimal() and _COMPARISONS[operator](int(value), int(values[0])) → "
        "value.isdecimal() and _COMPARISONS[operator](int(value), int(values[0]))"
    ): "Karpenter has a name for each GPU of the catalogue",
    (
        "tags.list_missing_tags: resource.type.startswith('aws:') and resource.kind in TAGGED → "
        "resource.type.startswith('aws:')"
    ): "judge passes only these kinds; remediation passes all kinds, see test_pack.py",
}
