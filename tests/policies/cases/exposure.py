"""Cases of the rules about passwords in Helm values, telemetry in clear text and open dashboards."""

from typing import Any

from policies import UNKNOWN, Resource

from .stacks import Build, cases_of, fails, passes, program, release, resource, shipped_stack, undecided, with_value

_MONITORING = "gpu-prod-monitoring-release"


def _monitoring(path: tuple[str, ...], value: Any) -> Build:
    return with_value("prod", "Release", "monitoring-release", ("values", *path), value)


def _values(chart: str = "web", **values: Any) -> Build:
    return program(release(chart, values=values))


def _files(*texts: Any) -> Build:
    return program(release("web", valueYamlFiles=[{"text": text} for text in texts]))


def _env(name: str, value: Any) -> Build:
    return _values(env=[{"name": name, "value": value}])


def _below(text: str, *path: str) -> Build:
    values: Any = text
    for key in reversed(path):
        values = {key: values}
    return _values(**values)


_KEYS = (
    *("password", "adminPassword", "db_passwd", "passphrase", "apiKey", "api_key", "accessToken", "auth_token"),
    *("bearerToken", "adminToken", "hf_token", "hubToken", "apiToken", "clientSecret", "secretAccessKey"),
)
_TOKENS = (
    *("AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", f"hf_{'a' * 20}", f"ghp_{'a' * 20}", f"glsa_{'a' * 20}"),
    *(f"nvapi-{'a' * 20}", f"xoxb-{'1' * 10}", "https://hooks.slack.com/services/T0/B0/x", "redis://:secret@db:6379"),
    *("https://hooks.slack.com/workflows/T0", "https://me:secret@charts.example.com/x"),
)
_RIGHT = (
    *("", "$__file{/etc/secrets/password}", "${DB_PASSWORD}", "{{ .Values.password }}", "<path:kv/db#password>", '""'),
)
_SCALAR_KEYS = (
    *("roleArn", "clusterName", "vpcId", "clusterEndpoint", "url", "host", "ipAddress", "region", "zone", "bucket"),
    *("queue", "tag", "registry", "repository", "eks.amazonaws.com/role"),
)
_INI = "[smtp]\nhost = mail:25\npassword = {}\n"

PASSWORDS = cases_of(
    "no-password-in-values",
    *(passes(f"the charts of {stack}", shipped_stack(stack)) for stack in ("dev", "research", "prod")),
    fails(
        "a password for Grafana of a stack",
        _monitoring(("grafana", "adminPassword"), "prom-operator"),
        _MONITORING,
        words="grafana.adminPassword of gpu-prod-monitoring-release holds",
    ),
    *(fails(f"a text under {key}", _below("letmein", "auth", key), "theirs", words=f"auth.{key} of") for key in _KEYS),
    fails("a number as a password", _values(password=12345), "theirs"),
    *(fails(f"the form of a token: {token[:8]} {len(token)}", _values(any=[token]), "theirs") for token in _TOKENS),
    fails("a variable of a container", _env("HF_TOKEN", "letmein"), "theirs", words="env.HF_TOKEN of"),
    fails("a line of grafana.ini", _values(config=_INI.format("letmein")), "theirs", words="config of"),
    fails("a line of YAML", _values(config='a: b\n  "admin_password": letmein\n'), "theirs"),
    fails("a values file", _files("auth: {password: letmein}"), "theirs", words="auth.password of"),
    fails("the second of two values files", _files("a: b", "password: letmein"), "theirs"),
    fails("a password beside a part that is not known", _values(password="letmein", other=UNKNOWN), "theirs"),
    *(passes(f"a reference or nothing: {text!r}", _values(password=text)) for text in _RIGHT),
    *(passes(f"a line with a reference or nothing: {text!r}", _values(config=_INI.format(text))) for text in _RIGHT),
    passes("a text of one line about passwords", _values(note="password: see the vault")),
    passes("a switch", _values(password=True, apiKey=False)),
    passes(
        "names of keys in a Secret",
        _values(
            admin={"existingSecret": "grafana-admin", "passwordKey": "admin-password"},
            secretKeys={"adminPassword": "password"},
            existingSecret={"password": "db"},
            apiKeyRef="a",
            secretKeyRef={"apiKey": "b"},
        ),
    ),
    *(
        fails(f"keys of a Secret no more: {key}", _below("letmein", key, "password"), "theirs")
        for key in ("secretKeyStore", "existingSecrets2")
    ),
    *(passes(f"names of keys below {key}", _below("db", key, "password")) for key in ("secretKey", "secretRef")),
    fails("a text in braces", _values(password="{letmein}"), "theirs"),
    *(
        passes(f"no token: {text}", _values(any=text))
        for text in (
            *("AKIAB", "A1B2C3D4E5F6G7H8J9", "hf_transfer", "ghp_x", "s_aaaaaaaaaaaaaaaaaaaaaaaa", "glsa_x", "nvapi-x"),
            *("xoxb-x", "a-1234567890", "https://example.com/services/x"),
            "ghostwritersinternationally",
            "xoxb1234567890",
            "nvapiaaaaaaaaaaaaaaaaaaaaa",
            "https://me@example.com",
            "https://hooks.slack.com/services/",
            "registry.example.com/web:1.2@sha256:abc",
        )
    ),
    passes("a block with a name, a value and more", _values(env={"name": "PASSWORD", "value": "$X", "other": "text"})),
    passes("a block whose name is not known", _values(svc={"name": UNKNOWN, "port": 80})),
    fails("one text in place of values", program(release("web", values=f"hf_{'a' * 20}")), "theirs", words="values of"),
    passes("a value whose name is a number", _values(env={"name": 7, "value": "text"})),
    *(passes(f"a part that is not known under {key}", _values(**{key: UNKNOWN})) for key in _SCALAR_KEYS),
    undecided("a variable whose name is not known", _values(env=[{"name": UNKNOWN, "value": "x"}]), "theirs"),
    passes("a URL without a password, and one from a variable", _values(a="https://a:443/b@c", b="redis://:$PW@db")),
    passes("a variable that comes from a Secret", _values(env=[{"name": "PASSWORD", "valueFrom": {"x": "y"}}])),
    passes("a chart without values", program(release("web"))),
    passes("parts that are not known and hold no password", _values(roleArn=UNKNOWN, **{"eks.aws/x": UNKNOWN})),
    undecided("a password that is not known", _values(password=UNKNOWN), "theirs"),
    undecided("a part that is not known", _values(grafana=UNKNOWN), "theirs"),
    undecided("a values file that the plan does not hold", program(release("web", valueYamlFiles=[{"path": "x"}]))),
    undecided("a values file that is not known", _files(UNKNOWN)),
)

_WRITE = ("prometheus", "prometheusSpec", "remoteWrite")
_OUTSIDE = (
    *("http://metrics.example.com/api/v1/push", "HTTP://example.com:9090", "http://me:pw@logs.acme.co.uk/push"),
    *("http://93.184.216.34/push", "http://[2606:2800:220:1::1]/push", "http://metrics.acme.internal.com"),
)
_INSIDE = (
    *("https://metrics.example.com/push", "http://mimir.monitoring.svc:9009/push", "http://mimir/push"),
    *("http://mimir.monitoring/push", "http://mimir.monitoring.svc.cluster.example/push", "http://10.0.3.4/push"),
    *("http://vm.acme.internal", "http://vm.local:8428", "http://127.0.0.1:4318", "http://[::1]:4318", "text"),
    *("http://a.grafana.localhost", "http://169.254.170.23", "http://a.vm.local", "http://10.0.3.4/[x.y.z]"),
)


def _write(url: Any) -> Build:
    return _values(prometheus={"prometheusSpec": {"remoteWrite": [{"url": url}]}})


def _made(kind: str, **spec: Any) -> Build:
    return program(resource(f"kubernetes:example.com/v1:{kind}", "theirs", {"spec": spec}))


CLEAR = cases_of(
    "telemetry-encrypted",
    passes("the charts of a stack", shipped_stack("prod")),
    fails(
        "the metrics of a stack",
        _monitoring(_WRITE, [{"url": "http://metrics.example.com/push"}]),
        _MONITORING,
        words="prometheusSpec.remoteWrite.url of gpu-prod-monitoring-release sends telemetry in clear text to http://m",
    ),
    *(fails(f"an outer host: {url}", _write(url), "theirs") for url in _OUTSIDE),
    *(
        fails(f"a name of two parts: {end}", _write(f"http://acme.{end}"), "theirs")
        for end in ("com", "net", "org", "io", "dev", "ai", "cloud", "app")
    ),
    *(passes(f"an inner host, or TLS: {url}", _write(url)) for url in _INSIDE),
    *(
        fails(f"a block of receivers: {key}", _below("http://logs.example.com", "config", key, "url"), "theirs")
        for key in (
            "remote_write",
            "remote-write",
            "additionalRemoteWrite",
            "exporters",
            "destinations",
            "clients",
            "sinks",
        )
    ),
    fails("several lines", _values(remoteWrite="- url: http://a.svc\n- url: http://b.example.com\n"), "theirs"),
    *(
        fails(f"an object of kind {kind}", _made(kind, remoteWrite=[{"url": "http://m.example.com"}]), "theirs")
        for kind in ("Prometheus", "PrometheusAgent", "OpenTelemetryCollector")
    ),
    passes("an object of another kind", _made("ServiceMonitor", remoteWrite=[{"url": "http://m.example.com"}])),
    passes("an address that gets no telemetry", _below("http://grafana.example.com", "grafana.ini", "root_url")),
    passes("a switch", _values(remoteWrite=True)),
    passes("an address that is not known and gets no telemetry", _values(url=UNKNOWN)),
    undecided("an address that is not known", _write(UNKNOWN), "theirs"),
    undecided("a part that is not known", _values(prometheus=UNKNOWN), "theirs"),
)

_PUBLIC = {"service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing"}
_PRIVATE = {"service.beta.kubernetes.io/aws-load-balancer-scheme": "internal"}
_OLD = "service.beta.kubernetes.io/aws-load-balancer-internal"
_CONTROLLER = release("aws-load-balancer-controller", "controller")
_ALB = {"alb.ingress.kubernetes.io/scheme": "internet-facing"}
_OFFICE = "203.0.113.0/24"


def _balanced(chart: str = "grafana", *others: Resource, **service: Any) -> Build:
    return program(release(chart, values={"service": {"type": "LoadBalancer", **service}}), *others)


def _entered(chart: str = "grafana", enabled: Any = True, **notes: Any) -> Build:
    return _values(chart, ingress={"enabled": enabled, "annotations": notes})


def _alb(**notes: Any) -> dict[str, Any]:
    return {f"alb.ingress.kubernetes.io/{key}": value for key, value in notes.items()}


def _service(name: str = "grafana", annotations: Any = None, **spec: Any) -> Build:
    props = {"metadata": {"name": name, "annotations": annotations}, "spec": {"type": "LoadBalancer", **spec}}
    return program(resource("kubernetes:core/v1:Service", "theirs", props))


def _ingress(backend: Any, **notes: Any) -> Build:
    rules = [{"http": {"paths": [{"backend": {"service": {"name": backend}}}]}}]
    props = {"metadata": {"name": "web", "annotations": notes}, "spec": {"rules": rules}}
    return program(resource("kubernetes:networking.k8s.io/v1:Ingress", "theirs", props))


_CHARTS = (
    *("kube-prometheus-stack", "prometheus", "grafana", "alertmanager", "loki", "loki-stack", "thanos", "jaeger"),
    *("kubernetes-dashboard", "headlamp", "opencost", "cost-analyzer", "kiali-server", "victoria-metrics-k8s-stack"),
)
_WORDS = ("grafana", "prometheus", "alertmanager", "dashboard", "kiali", "opencost", "kubecost", "headlamp")

OPEN = cases_of(
    "dashboards-not-public",
    *(passes(f"the dashboards of {stack}", shipped_stack(stack)) for stack in ("dev", "prod")),
    fails(
        "the dashboards of a stack",
        _monitoring(("grafana", "service"), {"type": "LoadBalancer", "annotations": _PUBLIC}),
        _MONITORING,
        words="grafana.service of gpu-prod-monitoring-release is open to the internet, so everybody",
    ),
    *(fails(f"a load balancer of {chart}", _balanced(chart, annotations=_PUBLIC), "theirs") for chart in _CHARTS),
    passes("a load balancer of a website", _balanced("web", annotations=_PUBLIC)),
    fails(
        "no scheme, and no controller", _balanced(), "theirs", words="service of theirs makes a load balancer without"
    ),
    passes("no scheme, with the controller that makes internal ones", _balanced("grafana", _CONTROLLER)),
    passes("a class of load balancers", _balanced(loadBalancerClass="eks.amazonaws.com/nlb")),
    fails("a public scheme, with the controller", _balanced("grafana", _CONTROLLER, annotations=_PUBLIC), "theirs"),
    fails("a public scheme beside a class", _balanced(loadBalancerClass="x", annotations=_PUBLIC), "theirs"),
    passes("an internal scheme", _balanced(annotations=_PRIVATE)),
    *(passes(f"the old mark: {value}", _balanced(annotations={_OLD: value})) for value in ("true", "0.0.0.0/0", True)),
    fails("the old mark, off", _balanced("grafana", _CONTROLLER, annotations={_OLD: "False"}), "theirs"),
    passes("an internal scheme beside the old mark", _balanced(annotations={**_PRIVATE, _OLD: "false"})),
    passes("an office", _balanced(annotations=_PUBLIC, loadBalancerSourceRanges=[_OFFICE])),
    fails("everybody as an office", _balanced(annotations=_PUBLIC, loadBalancerSourceRanges="0.0.0.0/0"), "theirs"),
    fails("an empty list of offices", _balanced(annotations=_PUBLIC, loadBalancerSourceRanges=[]), "theirs"),
    passes("a service inside the cluster", _balanced(type="ClusterIP", annotations=_PUBLIC)),
    passes("a service that is not made", _balanced(enabled=False)),
    fails("a service of another name", _values("thanos", serviceExternal={"type": "LoadBalancer"}), "theirs"),
    passes("a block that is no service", _values("grafana", monitor={"type": "LoadBalancer"})),
    passes("no values", program(release("grafana"))),
    fails("an Ingress", _entered(**_ALB), "theirs", words="ingress of theirs is open to the internet"),
    fails(
        "an Ingress for each replica",
        _values("prometheus", ingressPerReplica={"enabled": "true", "annotations": _ALB}),
        "theirs",
    ),
    passes("an Ingress that is off", _entered(enabled=False, **_ALB)),
    passes("an Ingress that is not on", _entered(enabled=None, **_ALB)),
    passes("an internal Ingress", _entered(**_alb(scheme="internal"))),
    passes("an Ingress of another controller", _entered(**{"nginx.ingress.kubernetes.io/x": "y"})),
    *(
        passes(f"an Ingress with {kind}", _entered(**_ALB, **_alb(**{"auth-type": kind})))
        for kind in ("oidc", "cognito")
    ),
    fails("an Ingress without sign-in", _entered(**_ALB, **_alb(**{"auth-type": "none"})), "theirs"),
    passes("an Ingress for an office", _entered(**_ALB, **_alb(**{"inbound-cidrs": f"{_OFFICE},10.0.0.0/8"}))),
    fails("an Ingress for everybody", _entered(**_ALB, **_alb(**{"inbound-cidrs": "0.0.0.0/0"})), "theirs"),
    *(
        fails(f"a Service of {word}", _service(f"our-{word}-ui"), "theirs", words="service of theirs")
        for word in _WORDS
    ),
    fails("a Service that selects Grafana", _service("ui", selector={"app.kubernetes.io/name": "Grafana"}), "theirs"),
    fails("a Service with a public scheme", _service(annotations=_PUBLIC), "theirs", words="is open to the internet"),
    passes("an internal Service", _service(annotations=_PRIVATE)),
    passes("a Service of a website", _service("shop", selector={"app": "shop"})),
    passes("a Service inside the cluster", _service(type="ClusterIP")),
    fails("an Ingress object", _ingress("grafana", **_ALB), "theirs", words="ingress of theirs"),
    passes("an Ingress object of a website", _ingress("shop", **_ALB)),
    passes("an internal Ingress object", _ingress("grafana")),
    undecided("annotations that are not known", _balanced(annotations=UNKNOWN), "theirs"),
    undecided("a part that is not known", _values("grafana", sidecar=UNKNOWN), "theirs"),
    passes("a name that is not known", _values("grafana", bucketName=UNKNOWN)),
    undecided("a selector that is not known", _service("ui", selector=UNKNOWN), "theirs"),
)
CASES = (*PASSWORDS, *CLEAR, *OPEN)
