"""GPU pools: NodePools, node classes, static node groups, opening hours and headroom."""
