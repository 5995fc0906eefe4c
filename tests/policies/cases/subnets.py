"""Cases of the rules about subnets of nodes and about public addresses of nodes."""

from dataclasses import replace
from typing import Any

from policies import UNKNOWN, Resource

from .stacks import Build, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_SUBNET = "gpu-dev-network-public-us-east-1a"
_MAPPED = ("mapPublicIpOnLaunch",)
_NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


def _subnet(name: str = "open", type_: str = "aws:ec2/subnet:Subnet", **inputs: Any) -> Resource:
    return resource(type_, name, {"mapPublicIpOnLaunch": True, **inputs})


def _needing(type_: str, name: str, needs: tuple[Resource, ...], **inputs: Any) -> Resource:
    return resource(type_, name, inputs, dependencies=tuple(found.urn for found in needs))


def _group(
    *needs: Resource, ids: Any = (UNKNOWN,), type_: str = "aws:eks/nodeGroup:NodeGroup", field: str = "subnetIds"
) -> Resource:
    return _needing(type_, "nodes", needs, **{field: list(ids) if isinstance(ids, tuple) else ids})


def _selecting(**term: Any) -> Resource:
    return resource(_NODE_CLASS, "nodes", {"spec": {"subnetSelectorTerms": [term]}})


OPEN, CLOSED = _subnet(), _subnet("closed", mapPublicIpOnLaunch=False)
_TAGGED = _subnet(tags={"karpenter.sh/discovery": "gpu", "Name": "gpu-public-1a"})

MAPPED = cases_of(
    "no-public-addresses",
    passes("no public addresses", shipped_stack("dev")),
    passes("public addresses for gateways", with_value("dev", "Subnet", "public-us-east-1a", _MAPPED, True)),
    fails(
        "public addresses for nodes that Karpenter selects by tag",
        with_value("dev", "Subnet", "private-us-east-1a", _MAPPED, "true"),
        "gpu-dev-network-private-us-east-1a",
        words="get a public address at launch",
    ),
    fails(
        "a public subnet with the tag that Karpenter selects",
        with_value("dev", "Subnet", "public-us-east-1a", ("tags", "karpenter.sh/discovery"), "gpu-dev"),
        _SUBNET,
        words="internet gateway",
    ),
    undecided("not known", with_value("dev", "Subnet", "private-us-east-1a", _MAPPED, UNKNOWN)),
    fails("a node group", program(OPEN, CLOSED, _group(OPEN)), "open"),
    passes("a node group in the other subnet", program(OPEN, CLOSED, _group(CLOSED))),
    fails("a node group in both subnets", program(OPEN, CLOSED, _group(OPEN, CLOSED, ids=(UNKNOWN, UNKNOWN))), "open"),
    passes("a node group that waits for more subnets than it has", program(OPEN, CLOSED, _group(OPEN, CLOSED))),
    fails(
        "a node group in one of two public subnets",
        program(OPEN, more := _subnet("more"), _group(OPEN, more)),
        "open",
        "more",
    ),
    undecided("a node group in some of the subnets", program(OPEN, CLOSED, _group(OPEN, CLOSED, ids=UNKNOWN)), "open"),
    fails("a node group in public subnets that are not counted", program(OPEN, _group(OPEN, ids=UNKNOWN)), "open"),
    undecided("a node group in subnets that nobody knows", program(OPEN, _group()), "open"),
    passes("a node group without subnets, beside a public subnet", program(OPEN, _group(ids=None))),
    fails("a node group by id", program(_subnet(id="subnet-1"), _group(ids=("subnet-1",))), "open"),
    fails("a single id for the list", program(_subnet(id="subnet-1"), _group(ids="subnet-1")), "open"),
    passes("a node group by another id", program(_subnet(id="subnet-1"), _group(ids=("subnet-2",)))),
    passes("a node group by id, where ids are not known", program(_subnet(id=UNKNOWN), _group(ids=("subnet-2",)))),
    fails(
        "a group of Cloud Control",
        program(OPEN, _group(OPEN, type_="aws-native:eks:Nodegroup", field="subnets")),
        "open",
    ),
    fails("a group of pulumi-eks", program(OPEN, _group(OPEN, type_="eks:index:ManagedNodeGroup")), "open"),
    *(
        fails(
            f"self-managed nodes, {kind}",
            program(OPEN, _group(OPEN, type_=f"eks:index:{kind}", field="nodeSubnetIds")),
            "open",
        )
        for kind in ("NodeGroup", "NodeGroupV2")
    ),
    *(
        fails(
            f"the first nodes of a component, {field}",
            program(OPEN, _group(OPEN, type_="eks:index:Cluster", field=field)),
            "open",
        )
        for field in ("nodeSubnetIds", "privateSubnetIds", "publicSubnetIds", "subnetIds")
    ),
    passes(
        "a component without nodes of its own",
        program(
            OPEN,
            _needing("eks:index:Cluster", "c", (OPEN,), publicSubnetIds=[UNKNOWN], skipDefaultNodeGroup="true"),
            _group(ids=()),
        ),
    ),
    passes(
        "a component that has private subnets too",
        program(
            OPEN, resource("eks:index:Cluster", "c", {"privateSubnetIds": ["closed"], "publicSubnetIds": ["open"]})
        ),
    ),
    fails(
        "a launch template that names the subnet",
        program(
            OPEN, resource("aws:ec2/launchTemplate:LaunchTemplate", "t", {"networkInterfaces": {"subnetId": "open"}})
        ),
        "open",
    ),
    fails(
        "a default subnet of AWS",
        program(resource("aws:ec2/defaultSubnet:DefaultSubnet", "open"), _group(ids=("open",))),
        "open",
    ),
    passes("a subnet that says nothing", program(resource("aws:ec2/subnet:Subnet", "plain"), _group(ids=("plain",)))),
)

SELECTED = cases_of(
    "no-public-addresses",
    fails("selected by tag", program(_TAGGED, _selecting(tags={"karpenter.sh/discovery": "gpu"})), "open"),
    fails("selected by any value", program(_TAGGED, _selecting(tags={"karpenter.sh/discovery": "*"})), "open"),
    fails("selected by a pattern", program(_TAGGED, _selecting(tags={"Name": "gpu-*"})), "open"),
    fails("selected by id", program(_TAGGED, _selecting(id="open")), "open"),
    fails(
        "selected by the tags of Cloud Control",
        program(
            _subnet(type_="aws-native:ec2:Subnet", tags=[{"key": "zone", "value": "a"}, {"key": "for", "value": 1}]),
            _selecting(tags={"for": "1"}),
        ),
        "open",
    ),
    passes("another value", program(_TAGGED, _selecting(tags={"karpenter.sh/discovery": "dev"}))),
    passes("another tag", program(_TAGGED, _selecting(tags={"discovery": "gpu"}))),
    passes("one of two tags", program(_TAGGED, _selecting(tags={"karpenter.sh/discovery": "gpu", "tier": "private"}))),
    passes("another id", program(_TAGGED, _selecting(id="subnet-2"))),
    passes("no term", program(_TAGGED, _selecting())),
    passes(
        "a node class of another maker", program(_TAGGED, resource("other:index:EC2NodeClass", "n", {}), _group(ids=()))
    ),
    passes("a node class whose cluster is not there yet", program(_TAGGED, replace(_selecting(), props=UNKNOWN))),
    undecided(
        "terms not known", program(_TAGGED, resource(_NODE_CLASS, "n", {"spec": {"subnetSelectorTerms": UNKNOWN}}))
    ),
    undecided("tags not known", program(_subnet(tags=UNKNOWN), _selecting(tags={"Name": "a"}))),
)

ALONE = cases_of(
    "no-public-addresses",
    fails(
        "a network without nodes, whose subnet gives addresses", program(OPEN), "open", words="machines in subnet open"
    ),
    passes("a network without nodes, for load balancers", program(_subnet(tags={"kubernetes.io/role/elb": "1"}))),
    passes("a network without nodes, made by awsx", program(_subnet(tags={"SubnetType": "Public"}))),
    passes(
        "a network without nodes, with a NAT gateway",
        program(OPEN, _needing("aws:ec2/natGateway:NatGateway", "nat", (OPEN,))),
    ),
    passes(
        "a network without nodes, with a load balancer",
        program(OPEN, _needing("aws:lb/loadBalancer:LoadBalancer", "lb", (OPEN,))),
    ),
    fails(
        "a network without nodes, with a gateway elsewhere",
        program(OPEN, _needing("aws:ec2/natGateway:NatGateway", "nat", (CLOSED,))),
        "open",
    ),
    passes("a network without nodes and addresses", program(CLOSED)),
    fails("a cluster alone, whose inputs are not shown", program(OPEN, resource("eks:index:Cluster", "c")), "open"),
    fails(
        "a group of another maker, which is none of EKS", program(OPEN, resource("other:index:NodeGroup", "c")), "open"
    ),
)

_VPC, _VPC2 = resource("aws:ec2/vpc:Vpc", "vpc"), resource("aws:ec2/vpc:Vpc", "vpc2")
_GATEWAY = resource("aws:ec2/internetGateway:InternetGateway", "gateway")
_INSIDE = _needing("aws:ec2/subnet:Subnet", "inside", (_VPC,), vpcId=UNKNOWN)
_TABLE_TYPE = "aws:ec2/routeTable:RouteTable"
_TABLE = _needing(_TABLE_TYPE, "table", (_VPC,))
_OUT = _needing("aws:ec2/route:Route", "out", (_TABLE, _GATEWAY), routeTableId=UNKNOWN, gatewayId=UNKNOWN)
_LINK = _needing(
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "link",
    (_TABLE, _INSIDE),
    routeTableId=UNKNOWN,
    subnetId=UNKNOWN,
)


def _routed(*resources: Resource) -> Build:
    return program(_VPC, _VPC2, _GATEWAY, _INSIDE, _group(_INSIDE), *resources)


def _table(
    *routes: Any,
    name: str = "table",
    type_: str = _TABLE_TYPE,
    needs: tuple[Resource, ...] = (_VPC, _GATEWAY),
    **inputs: Any,
) -> Resource:
    return _needing(type_, name, needs, routes=list(routes), **inputs)


_MAIN = "aws:ec2/defaultRouteTable:DefaultRouteTable"
_MAIN_LINK = "aws:ec2/mainRouteTableAssociation:MainRouteTableAssociation"

ROUTED = cases_of(
    "no-public-addresses",
    fails("a separate route to the internet gateway", _routed(_TABLE, _OUT, _LINK), "inside", words="internet gateway"),
    fails("a route inside the table", _routed(_table({"gatewayId": UNKNOWN}), _LINK), "inside"),
    fails("a gateway by its id", _routed(_table({"gatewayId": "igw-1"}, needs=()), _LINK), "inside"),
    fails("a gateway by its name", _routed(_table({"gatewayId": "gateway"}, needs=()), _LINK), "inside"),
    fails(
        "a route of Cloud Control",
        _routed(
            resource("aws-native:ec2:RouteTable", "table"),
            resource("aws-native:ec2:Route", "out", {"routeTableId": "table", "gatewayId": "igw-1"}),
            resource(
                "aws-native:ec2:SubnetRouteTableAssociation", "link", {"routeTableId": "table", "subnetId": "inside"}
            ),
        ),
        "inside",
    ),
    undecided("a gateway that is not known", _routed(_table({"gatewayId": UNKNOWN}, needs=()), _LINK)),
    passes("a route to a VPN gateway", _routed(_table({"gatewayId": UNKNOWN}, needs=(_VPC,)), _LINK)),
    passes("a route to a NAT gateway", _routed(_table({"natGatewayId": UNKNOWN}, needs=(_VPC,)), _LINK)),
    passes(
        "a route out that is for IPv6 and egress alone",
        _routed(_table({"egressOnlyGatewayId": UNKNOWN}, needs=(_VPC,)), _LINK),
    ),
    passes("a table that no subnet has", _routed(_TABLE, _OUT)),
    passes(
        "a route of another table",
        _routed(
            _TABLE,
            _LINK,
            other := _table(name="other", needs=()),
            _needing("aws:ec2/route:Route", "out", (other, _GATEWAY), routeTableId=UNKNOWN, gatewayId=UNKNOWN),
        ),
    ),
    passes(
        "a table of another subnet",
        program(
            OPEN,
            CLOSED,
            _group(CLOSED),
            _table({"gatewayId": "igw-1"}),
            resource(_LINK.type, "l", {"subnetId": "open", "routeTableId": "table"}),
        ),
    ),
    passes(
        "a public subnet without nodes", program(_VPC, _GATEWAY, _INSIDE, _TABLE, _OUT, _LINK, CLOSED, _group(CLOSED))
    ),
    fails("the main table of the network", _routed(_table({"gatewayId": "igw-1"}, type_=_MAIN)), "inside"),
    passes("the main table of another network", _routed(_table({"gatewayId": "igw-1"}, type_=_MAIN, needs=(_VPC2,)))),
    passes(
        "a table of its own beside an open main table",
        _routed(_TABLE, _LINK, _table({"gatewayId": "igw-1"}, name="main", type_=_MAIN)),
    ),
    fails(
        "a table that became the main table",
        _routed(
            _table({"gatewayId": "igw-1"}),
            _needing(_MAIN_LINK, "main", (_VPC, _TABLE), vpcId=UNKNOWN, routeTableId=UNKNOWN),
        ),
        "inside",
    ),
    passes(
        "a table that became the main table, beside another",
        _routed(
            _TABLE,
            _table({"gatewayId": "igw-1"}, name="main", type_=_MAIN),
            _needing(_MAIN_LINK, "main", (_VPC, _TABLE), vpcId=UNKNOWN, routeTableId=UNKNOWN),
        ),
    ),
    fails(
        "the main table of a network that exists",
        program(
            resource("aws:ec2/subnet:Subnet", "inside", {"vpcId": "vpc-1"}),
            _group(ids=("inside",)),
            resource(_TABLE_TYPE, "table", {"routes": [{"gatewayId": "igw-1"}]}),
            resource(_MAIN_LINK, "main", {"vpcId": "vpc-1", "routeTableId": "table"}),
        ),
        "inside",
    ),
    passes(
        "the main table of another network that exists",
        program(
            resource("aws:ec2/subnet:Subnet", "inside", {"vpcId": "vpc-1"}),
            _group(ids=("inside",)),
            resource(_TABLE_TYPE, "table", {"routes": [{"gatewayId": "igw-1"}]}),
            resource(_MAIN_LINK, "main", {"vpcId": "vpc-2", "routeTableId": "table"}),
        ),
    ),
)


def _of(type_: str, **inputs: Any) -> Build:
    return program(resource(type_, "theirs", inputs))


def _class(value: Any) -> Build:
    return _of(_NODE_CLASS, spec={"associatePublicIPAddress": value})


def _template(**inputs: Any) -> Build:
    return _of("aws:ec2/launchTemplate:LaunchTemplate", **inputs)


_ASKS, _DECLINES = {"associatePublicIpAddress": "true"}, {"associatePublicIpAddress": "false"}

ASKED = cases_of(
    "nodes-without-public-address",
    passes("our node classes and templates", shipped_stack("prod")),
    fails(
        "our node class asks",
        with_value("prod", "EC2NodeClass", "infer-l40s", ("spec", "associatePublicIPAddress"), True),
        "infer-l40s-node-class",
    ),
    passes("a node class declines", _class(False)),
    passes("a node class declines in words", _class("false")),
    passes("a node class says nothing", _of(_NODE_CLASS)),
    fails("a node class asks in words", _class("true"), "theirs"),
    undecided("a node class whose answer is not known", _class(UNKNOWN), "theirs"),
    fails("a template asks", _template(networkInterfaces=[_ASKS]), "theirs"),
    fails("a template asks for its second interface", _template(networkInterfaces=[_DECLINES, _ASKS]), "theirs"),
    fails(
        "a template with a single interface asks",
        _template(networkInterfaces={"associatePublicIpAddress": True}),
        "theirs",
    ),
    fails(
        "a template of Cloud Control asks",
        _of("aws-native:ec2:LaunchTemplate", launchTemplateData={"networkInterfaces": [_ASKS]}),
        "theirs",
    ),
    passes("a template declines", _template(networkInterfaces=[_DECLINES])),
    passes("a template says nothing", _template(networkInterfaces=[{"deleteOnTermination": "true"}])),
    undecided("interfaces not known", _template(networkInterfaces=UNKNOWN), "theirs"),
    *(
        fails(f"{kind} of pulumi-eks asks", _of(f"eks:index:{kind}", nodeAssociatePublicIpAddress=True), "theirs")
        for kind in ("Cluster", "NodeGroup", "NodeGroupV2")
    ),
    fails(
        "the first nodes of a component ask",
        _of("eks:index:Cluster", nodeGroupOptions={"nodeAssociatePublicIpAddress": True}),
        "theirs",
    ),
    passes("a component declines", _of("eks:index:Cluster", nodeAssociatePublicIpAddress=False)),
    passes("a component says nothing", _of("eks:index:NodeGroup")),
    passes("a cluster of another maker", _of("other:index:Cluster", nodeAssociatePublicIpAddress=True)),
)

CASES = (*MAPPED, *SELECTED, *ALONE, *ROUTED, *ASKED)
