"""Old address of names that are in ``nodes``, for callers that have not moved yet."""

from .nodes import Node, Terms, price_of_a_gpu, spot_share

__all__ = ["Node", "Terms", "price_of_a_gpu", "spot_share"]
