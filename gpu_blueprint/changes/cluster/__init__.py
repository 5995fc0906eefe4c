"""The cluster and its network, and the facts about both that cannot change."""
