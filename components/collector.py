"""Every resource of the platform, in the order in which it is made."""

import pulumi


class Collector:
    """Notes resources, and leaves out dependencies that others imply; ``made`` lists the resources."""

    made: list[pulumi.Resource]

    def __init__(self) -> None:
        self.made = []
        self._reached: dict[pulumi.Resource, set[pulumi.Resource]] = {}

    def collect(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        """Note each resource below the platform; components of ours consist of the resources that are noted too.

        If A needs B and C, and B needs C, then A names B alone; the order stays the same. Before a protected destroy
        Pulumi's engine follows every path through the dependencies, and a needless dependency adds paths for all
        resources behind it.
        """
        if not args.type_.startswith("gpu-blueprint:"):
            self.made.append(args.resource)
        needed = args.opts.depends_on
        if not isinstance(needed, list):
            return None
        resources = [each for each in needed if isinstance(each, pulumi.Resource)]
        reached = set().union(*(self._reached.get(each, ()) for each in resources))
        self._reached[args.resource] = reached.union(resources)
        fewer = pulumi.ResourceOptions.merge(args.opts, None)
        fewer.depends_on = [each for each in needed if each not in reached]
        return pulumi.ResourceTransformationResult(args.props, fewer)
