"""What AWS's error codes mean to somebody who only wants to read.

Source: «Common Errors» of the EC2, STS and Service Quotas API references, and the retry tables of botocore 1.44.
"""

DENIED = frozenset({
    "AccessDenied", "AccessDeniedException", "AuthorizationError", "NotAuthorized", "UnauthorizedOperation",
})  # fmt: skip
"""The caller is known and may not."""
LOCKED_OUT = frozenset({
    "AuthFailure", "ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidAccessKeyId",
    "InvalidClientTokenId", "InvalidSignatureException", "OptInRequired", "RequestExpired", "SignatureDoesNotMatch",
    "UnrecognizedClientException",
})  # fmt: skip
"""The caller is not known, or not any more, or not in that region."""
BUSY = frozenset({
    "EC2ThrottledException", "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException", "SlowDown",
    "Throttling", "ThrottlingException", "TooManyRequestsException",
})  # fmt: skip
"""Too many questions at once."""
