// A stand-in for NVIDIA's management library: it describes the GPUs that NVML_STAND_IN names, and nothing else.
//
//   NVML_STAND_IN="NAME;COUNT;MEMORY_MB"           GPUs without MIG
//   NVML_STAND_IN="NAME;COUNT;MEMORY_MB;"          GPUs with MIG, which is off
//   NVML_STAND_IN="NAME;COUNT;MEMORY_MB;9984:0:2"  MIG is on: two instances of GPU instance profile 0, each of 9984 MB
//
// Handles are numbers: the GPU in the upper half, the MIG instance in the lower half, both from 1.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml.h"

#define MOST_INSTANCES 64
#define HALF 16
#define GPU(of) ((unsigned)((uintptr_t)(of).handle >> HALF))
#define INSTANCE(of) ((unsigned)((uintptr_t)(of).handle & 0xffff))
#define MAKE(type, gpu, instance) ((type){(void *)(uintptr_t)(((gpu) << HALF) | (instance))})

static char name[96];
static unsigned gpus, instances;
static unsigned long long memory_mb;
static int has_mig, is_cut;
static struct { unsigned long long memory_mb; unsigned profile; } cuts[MOST_INSTANCES];

nvmlReturn_t nvmlInit_v2(void) {
    const char *given = getenv("NVML_STAND_IN");
    int read = 0;
    if (!given || sscanf(given, "%95[^;];%u;%llu%n", name, &gpus, &memory_mb, &read) != 3) return NVML_ERROR_UNKNOWN;
    has_mig = given[read] == ';';
    instances = 0;
    const char *cut = has_mig ? given + read + 1 : "";
    unsigned long long size;
    unsigned profile, count;
    for (is_cut = *cut != 0; sscanf(cut, "%llu:%u:%u%n", &size, &profile, &count, &read) == 3;) {
        for (; count && instances < MOST_INSTANCES; count--, instances++) {
            cuts[instances].memory_mb = size;
            cuts[instances].profile = profile;
        }
        cut += read;
        if (*cut == ',') cut++;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInitWithFlags(unsigned flags) { return nvmlInit_v2(); }
nvmlReturn_t nvmlShutdown(void) { return NVML_SUCCESS; }
const char *nvmlErrorString(nvmlReturn_t result) { return result == NVML_SUCCESS ? "success" : "refused by the stand-in"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char *text, unsigned length) {
    snprintf(text, length, "580.95.05");
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) { *version = 13000; return NVML_SUCCESS; }
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) { *count = gpus; return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
    if (index >= gpus) return NVML_ERROR_INVALID_ARGUMENT;
    *device = MAKE(nvmlDevice_t, index + 1, 0);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *text, unsigned length) {
    snprintf(text, length, "%s", name);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *text, unsigned length) {
    const char *kind = INSTANCE(device) ? "MIG" : "GPU";
    snprintf(text, length, "%s-00000000-0000-0000-%04x-%012x", kind, GPU(device), INSTANCE(device));
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor) {
    *minor = GPU(device) - 1;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    memory->total = memory->free = memory_mb << 20;
    memory->used = 0;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    memset(pci, 0, sizeof *pci);
    snprintf(pci->busId, sizeof pci->busId, "00000000:%02x:00.0", GPU(device));
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    *major = 9;
    *minor = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
    *current = *pending = is_cut;
    return has_mig ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count) {
    *count = instances;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *mig) {
    if (index >= instances) return NVML_ERROR_NOT_FOUND;
    *mig = MAKE(nvmlDevice_t, GPU(device), index + 1);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is_mig) {
    *is_mig = INSTANCE(device) != 0;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t mig, nvmlDevice_t *device) {
    *device = MAKE(nvmlDevice_t, GPU(mig), 0);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes) {
    memset(attributes, 0, sizeof *attributes);
    attributes->memorySizeMB = cuts[INSTANCE(device) - 1].memory_mb;
    attributes->gpuInstanceSliceCount = attributes->computeInstanceSliceCount = 1;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned *id) {
    *id = INSTANCE(device);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned *id) { *id = 0; return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned id, nvmlGpuInstance_t *instance) {
    *instance = MAKE(nvmlGpuInstance_t, GPU(device), id);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info) {
    memset(info, 0, sizeof *info);
    info->id = INSTANCE(instance);
    info->profileId = cuts[INSTANCE(instance) - 1].profile;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(
    nvmlGpuInstance_t instance, unsigned id, nvmlComputeInstance_t *compute
) {
    *compute = MAKE(nvmlComputeInstance_t, GPU(instance), INSTANCE(instance));
    return NVML_SUCCESS;
}
// Each GPU instance is one compute instance, which has all of its slices: its profile, by the profile of the GPU instance.
static const unsigned whole[] = {0, 1, 2, 3, 4, 5, 6, 0, 1, 0, 0, 1, 3, 0, 1, 0, 1};
nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t compute, nvmlComputeInstanceInfo_t *info) {
    memset(info, 0, sizeof *info);
    info->profileId = whole[cuts[INSTANCE(compute) - 1].profile];
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(
    nvmlGpuInstance_t instance, unsigned profile, unsigned engine, nvmlComputeInstanceProfileInfo_t *info
) {
    memset(info, 0, sizeof *info);
    info->id = profile;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(
    nvmlDevice_t device, unsigned profile, nvmlGpuInstanceProfileInfo_t *info
) {
    memset(info, 0, sizeof *info);
    info->id = profile;
    return NVML_SUCCESS;
}
