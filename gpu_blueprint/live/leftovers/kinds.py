"""The words for each kind of object, and the command of the AWS CLI that shows an object of the kind."""

from ...records import Record
from .resource import Arn


class Kind(Record):
    """Words for a kind, and the command that shows one object. ``{last}`` is the last part of its name."""

    words: str
    command: str


KINDS = {
    "bcm-data-exports:export": Kind("data export", "bcm-data-exports get-export --export-arn {arn}"),
    "budgets:budget": Kind("budget", "budgets describe-budget --account-id {account} --budget-name {name}"),
    "ce:anomalymonitor": Kind("anomaly monitor", "ce get-anomaly-monitors --monitor-arn-list {arn}"),
    "ce:anomalysubscription": Kind("anomaly alert", "ce get-anomaly-subscriptions --subscription-arn-list {arn}"),
    "ce:costcategory": Kind("cost category", "ce describe-cost-category-definition --cost-category-arn {arn}"),
    "ec2:elastic-ip": Kind("Elastic IP", "ec2 describe-addresses --allocation-ids {name}"),
    "ec2:instance": Kind("EC2 instance", "ec2 describe-instances --instance-ids {name}"),
    "ec2:internet-gateway": Kind("internet gateway", "ec2 describe-internet-gateways --internet-gateway-ids {name}"),
    "ec2:launch-template": Kind("launch template", "ec2 describe-launch-templates --launch-template-ids {name}"),
    "ec2:natgateway": Kind("NAT gateway", "ec2 describe-nat-gateways --nat-gateway-ids {name}"),
    "ec2:network-interface": Kind(
        "network interface", "ec2 describe-network-interfaces --network-interface-ids {name}"
    ),
    "ec2:placement-group": Kind("placement group", "ec2 describe-placement-groups --group-names {name}"),
    "ec2:route-table": Kind("route table", "ec2 describe-route-tables --route-table-ids {name}"),
    "ec2:security-group": Kind("security group", "ec2 describe-security-groups --group-ids {name}"),
    "ec2:security-group-rule": Kind(
        "security group rule", "ec2 describe-security-group-rules --security-group-rule-ids {name}"
    ),
    "ec2:snapshot": Kind("snapshot", "ec2 describe-snapshots --snapshot-ids {name}"),
    "ec2:spot-instances-request": Kind(
        "spot request", "ec2 describe-spot-instance-requests --spot-instance-request-ids {name}"
    ),
    "ec2:subnet": Kind("subnet", "ec2 describe-subnets --subnet-ids {name}"),
    "ec2:volume": Kind("volume", "ec2 describe-volumes --volume-ids {name}"),
    "ec2:vpc": Kind("VPC", "ec2 describe-vpcs --vpc-ids {name}"),
    "ec2:vpc-endpoint": Kind("VPC endpoint", "ec2 describe-vpc-endpoints --vpc-endpoint-ids {name}"),
    "ecr:repository": Kind("ECR repository", "ecr describe-repositories --repository-names {name}"),
    "eks:cluster": Kind("EKS cluster", "eks describe-cluster --name {name}"),
    "eks:nodegroup": Kind("node group", "eks describe-nodegroup --cluster-name {parts[0]} --nodegroup-name {parts[1]}"),
    "eks:podidentityassociation": Kind(
        "Pod Identity association",
        "eks describe-pod-identity-association --cluster-name {parts[0]} --association-id {parts[1]}",
    ),
    "eks:addon": Kind("EKS add-on", "eks describe-addon --cluster-name {parts[0]} --addon-name {parts[1]}"),
    "elasticfilesystem:access-point": Kind("EFS access point", "efs describe-access-points --access-point-id {name}"),
    "elasticfilesystem:file-system": Kind("EFS file system", "efs describe-file-systems --file-system-id {name}"),
    "elasticloadbalancing:loadbalancer/app": Kind(
        "load balancer", "elbv2 describe-load-balancers --load-balancer-arns {arn}"
    ),
    "elasticloadbalancing:loadbalancer/net": Kind(
        "load balancer", "elbv2 describe-load-balancers --load-balancer-arns {arn}"
    ),
    "elasticloadbalancing:targetgroup": Kind("target group", "elbv2 describe-target-groups --target-group-arns {arn}"),
    "events:rule": Kind("event rule", "events describe-rule --name {name}"),
    "fsx:association": Kind(
        "FSx data repository association", "fsx describe-data-repository-associations --association-ids {last}"
    ),
    "fsx:file-system": Kind("FSx file system", "fsx describe-file-systems --file-system-ids {name}"),
    "iam:instance-profile": Kind("instance profile", "iam get-instance-profile --instance-profile-name {last}"),
    "iam:policy": Kind("IAM policy", "iam get-policy --policy-arn {arn}"),
    "iam:role": Kind("IAM role", "iam get-role --role-name {last}"),
    "kms:key": Kind("KMS key", "kms describe-key --key-id {name}"),
    "logs:log-group": Kind("log group", "logs describe-log-groups --log-group-name-prefix {name}"),
    "s3": Kind("S3 bucket", "s3api get-bucket-tagging --bucket {name}"),
    "sns": Kind("SNS topic", "sns get-topic-attributes --topic-arn {arn}"),
    "sqs": Kind("SQS queue", "sqs get-queue-url --queue-name {name}"),
}
"""Service and type of an ARN → its kind."""

_ANY = "resourcegroupstaggingapi get-resources --resource-arn-list {arn}"


def name_kind(arn: Arn) -> str:
    """Return the words for the kind of an object."""
    return KINDS[arn.kind].words if arn.kind in KINDS else arn.kind.replace(":", " ")


def write_command(arn: Arn) -> str:
    """Return the command that shows an object; it changes nothing."""
    command = KINDS[arn.kind].command if arn.kind in KINDS else _ANY
    parts = arn.name.split("/")
    filled = command.format(arn=arn.text, account=arn.account, name=arn.name, parts=parts, last=parts[-1])
    return f"aws {filled} --region {arn.region}" if arn.region else f"aws {filled}"
