"""Pools: NodePools, node classes, static node groups, opening hours and headroom."""
