"""The toleration of programs that must run on every node, such as agents, exporters and device plugins."""

TOLERATE_EVERY_TAINT = [{"operator": "Exists"}]
