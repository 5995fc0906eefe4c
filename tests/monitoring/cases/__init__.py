"""Cases of the rules: for each alert and each recorded series at least one with a result and one without."""

from . import cost, gpu, nodes, recording, services, watch

ALERT_CASES = (*gpu.CASES, *nodes.CASES, *cost.CASES, *services.CASES, *watch.CASES)
RECORDING_CASES = recording.CASES
