"""Cases of the rule about values that no rule can read."""

from policies import RULES, Stack, judge

from .stacks import Build, cases_of, fails, node_pool, passes, program, resource, shipped_stack, with_value


def _after_the_other_rules(build: Build) -> Build:
    def judged() -> Stack:
        stack = Stack(build().resources)
        for rule in RULES:
            list(judge(rule, stack))
        return stack

    return judged


CASES = cases_of(
    "values-readable",
    passes("a shipped stack", _after_the_other_rules(shipped_stack("prod"))),
    fails(
        "a word for the template of a pool",
        _after_the_other_rules(with_value("prod", "NodePool", "infer-l4-node-pool", ("spec", "template"), "none")),
        "infer-l4-node-pool",
        words=("gpu-pool-tainted", "spec.template is 'none', and must be a block of fields"),
    ),
    fails(
        "a word for the spec",
        _after_the_other_rules(
            program(node_pool(), resource("kubernetes:karpenter.sh/v1:NodePool", "odd", {"spec": "x"}))
        ),
        "odd",
        words="spec is 'x', and must be a block of fields",
    ),
    fails(
        "a document that is not JSON",
        _after_the_other_rules(program(resource("aws:iam/policy:Policy", "theirs", {"policy": "${file}"}))),
        "theirs",
        words=("no-wildcard-action", "policy is '${file}', and must be a block of fields"),
    ),
)
