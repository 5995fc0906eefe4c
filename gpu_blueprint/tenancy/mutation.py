"""The mutating policy that completes pods with GPUs: the tenant writes the GPU, and the API server writes the rest.

It saves typing and guards nothing, since the rules about pods judge the result. It needs Kubernetes 1.36.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..config import Pool, StackConfig
from ..config.pod_rooms import find_pod_room
from ..sharing import POOL_KEY
from .cel import write_literal
from .pod_subject import POD
from .pod_variables import ask_for, list_pod_variables
from .pool_classes import CLASS_PREFIX
from .quotas import DEFAULT_REQUESTS

NAME = "gpu-blueprint-pods"
_VISIBLE = "NVIDIA_VISIBLE_DEVICES"
_BOXES = {"containers": "container", "initContainers": "init container"}
"""Field of the containers → their name in the annotation of LimitRanger."""


def build_mutation_spec(config: StackConfig) -> dict[str, Any]:
    """Return the ``spec`` of the MutatingAdmissionPolicy.

    It is one patch of one expression, since the API server reads the pod anew after each patch. It is not invoked
    again: a second run would add each toleration twice.
    """
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    resources = write_literal(list(config.exposed_resources))
    boxes = "(object.spec.containers + object.spec.?initContainers.orValue([]))"
    asks = f"{boxes}.exists(c, {resources}.exists(n, {ask_for('n')}))"
    patches = " + ".join(f"({patch})" for patch in _list_patches())
    expression = f"!(variables.target in variables.fit) ? [] : {patches}"
    variables = {**list_pod_variables(config, POD), **_list_facts(config), **_list_sizes()}
    return {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule]},
        "matchConditions": [{"name": "asks-for-a-gpu", "expression": asks}],
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
    }


def _list_facts(config: StackConfig) -> dict[str, str]:
    """Return the variables with the facts of the pools, and the words of LimitRanger about its defaults."""
    taints = {pool.name: [tolerate(taint) for taint in pool.node_taints] for pool in config.gpu_pools}
    rooms = {pool.name: _list_rooms(config, pool) for pool in config.gpu_pools}
    note = "object.metadata.?annotations[?'kubernetes.io/limit-ranger'].orValue('')"
    return {
        "taints": f"{write_literal(taints)}[?variables.target].orValue([])",
        "rooms": f"{write_literal(rooms)}[?variables.target].orValue([[0, 0]])",
        "defaults": f"{note}.split('; ')",
    }


def tolerate(taint: Mapping[str, str]) -> dict[str, str]:
    """Return the toleration of exactly one taint."""
    return {**taint, "operator": "Equal" if "value" in taint else "Exists"}


def _list_rooms(config: StackConfig, pool: Pool) -> list[list[int]]:
    """Return millicores and MiB of pods with one unit of the pool, with two and so on up to a node's GPUs.

    Slots of one size need only one entry, because a multiple of them is a multiple of the entry.
    """
    most = 1 if pool.slot_size else max(row.gpu_devices for row in config.list_instances(pool))
    return [[int(part) for part in find_pod_room(config, pool, count).room] for count in range(1, most + 1)]


def _list_sizes() -> dict[str, str]:
    """Return the variables with the count of units, and millicores and MiB, of each container."""
    found = {}
    for field in _BOXES:
        # Kubernetes itself refuses a part of a GPU, in better words than an error of this expression.
        one = "c.?resources.?limits[?n].optMap(q, quantity(q).isInteger() ? quantity(q).asInteger() : 0).orValue(0)"
        counts, rooms = f"variables.{field}Counts", "variables.rooms"
        found[f"{field}Counts"] = f"object.spec.?{field}.orValue([]).map(c, variables.gpus.map(n, {one}).sum())"
        found[f"{field}Sizes"] = (
            f"{counts}.map(n, n == 0 ? [0, 0] : n <= {rooms}.size() ? {rooms}[n - 1] : "
            f"{rooms}[{rooms}.size() - 1].map(part, part * n / {rooms}.size()))"
        )
    return found


def _list_patches() -> Iterator[str]:
    """Yield CEL of lists of patches."""
    key = f"'/spec/nodeSelector/' + jsonpatch.escapeKey('{POOL_KEY}')"
    one, whole = _add(key, "variables.target"), _add("'/spec/nodeSelector'", f"{{'{POOL_KEY}': variables.target}}")
    yield f"variables.pool != '' ? [] : has(object.spec.nodeSelector) ? [{one}] : [{whole}]"
    none = _add("'/spec/tolerations'", "[]")
    yield f"has(object.spec.tolerations) ? [] : [{none}]"
    same = "(o.?operator.orValue('Equal') == 'Exists' || o.?value.orValue('') == t[?'value'].orValue(''))"
    known = f"o.?key.orValue('') == t.key && o.?effect.orValue('') in ['', t.effect] && {same}"
    missing = f"variables.taints.filter(t, !object.spec.?tolerations.orValue([]).exists(o, {known}))"
    toleration = _add("'/spec/tolerations/-'", "t")
    yield f"{missing}.map(t, {toleration})"
    own = _add("'/spec/priorityClassName'", f"{write_literal(CLASS_PREFIX)} + variables.target")
    yield f"object.spec.?priorityClassName.orValue('') != '' ? [] : [{own}]"
    for field, noun in _BOXES.items():
        yield from _list_size_patches(field, noun)
        yield _hide_gpus(field)


def _list_size_patches(field: str, noun: str) -> Iterator[str]:
    """Yield CEL that gives containers with GPUs the CPU and memory of their slots where LimitRanger gave its defaults.

    LimitRanger runs before, and its annotation names the defaults. A copied pod may carry an old annotation, so that
    the value must be the default too.
    """

    def is_default(resource: str) -> str:
        noted = f"d.endsWith(' request for {noun} ' + c.name) && d.split(' request for ')[0].contains('{resource}')"
        stated = f"c.?resources.?requests[?'{resource}'].orValue('')"
        return f"(variables.defaults.exists(d, {noted}) && {stated} == '{DEFAULT_REQUESTS[resource]}')"

    has_gpu, boxes = f"variables.{field}Counts[i] > 0", f"object.spec.?{field}.orValue([])"
    place = f"'/spec/{field}/' + string(i) + '/resources/"
    cpu, memory = f"string(variables.{field}Sizes[i][0]) + 'm'", f"string(variables.{field}Sizes[i][1]) + 'Mi'"
    for resource, size in (("cpu", cpu), ("memory", memory)):
        patch = _add(f"{place}requests/{resource}'", size)
        yield f"{boxes}.transformList(i, c, {has_gpu} && {is_default(resource)}, {patch})"
    # The default limit of memory is modest, and the API server refuses a limit below the request.
    request, limit = "c.resources.requests.memory", "c.resources.limits.memory"
    is_low = f"({is_default('memory')} || quantity({limit}).isLessThan(quantity({request})))"
    noted = f"variables.defaults.exists(d, d.endsWith('memory limit for {noun} ' + c.name))"
    patch = _add(f"{place}limits/memory'", f"{is_default('memory')} ? {memory} : {request}")
    yield f"{boxes}.transformList(i, c, {has_gpu} && {noted} && {is_low}, {patch})"


def _hide_gpus(field: str) -> str:
    """Return CEL that hides the GPUs of the node from containers without GPU, whose image may ask for all of them."""
    void = f"{{'name': '{_VISIBLE}', 'value': 'void'}}"
    mine = f"variables.{field}Counts[i] == 0 && !c.?env.orValue([]).exists(e, e.name == '{_VISIBLE}')"
    path = f"'/spec/{field}/' + string(i) + (has(c.env) ? '/env/-' : '/env')"
    patch = _add(path, f"has(c.env) ? dyn({void}) : dyn([{void}])")
    return f"object.spec.?{field}.orValue([]).transformList(i, c, {mine}, {patch})"


def _add(path: str, value: str) -> str:
    return f"JSONPatch{{op: 'add', path: {path}, value: {value}}}"
