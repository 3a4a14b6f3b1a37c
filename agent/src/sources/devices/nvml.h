/* nvml.h: the part of NVIDIA's management library (libnvidia-ml.so.1) that the agent calls,
 * declared here from its documentation: the agent is built without its header, and runs where it is
 * not installed. */
#ifndef JST_NVML_H
#define JST_NVML_H

#include <stdint.h>

#define NVML_OK 0
#define NVML_DRIVER_NOT_LOADED 9
#define NVML_LOST 15
#define NVML_RESET 16

#define NVML_SM_CLOCK 1u
#define NVML_PCIE_SENT 0u
#define NVML_PCIE_RECEIVED 1u
#define NVML_BY_POWER 0u
#define NVML_BY_HEAT 1u
#define NVML_UNCORRECTED 1u
#define NVML_SINCE_LOADED 0u
#define NVML_FABRIC_COMPLETED 3u
#define NVML_MOST_LINKS 36u
#define NVML_LINK_SENT 138u
#define NVML_LINK_RECEIVED 139u
#define NVML_U64 3u
#define NVML_XID UINT64_C(8)
/* Reasons of a lowered clock: power cap, slowdown by hardware, heat (software, hardware), power brake. */
#define NVML_SLOWED UINT64_C(0xec)

/* Metrics of GPM: percent, and MiB a second. */
enum {
    NVML_GPM_BUSY = 1,
    NVML_GPM_PCIE_SENT = 20,
    NVML_GPM_PCIE_RECEIVED = 21,
    NVML_GPM_LINK_RECEIVED = 60,
    NVML_GPM_LINK_SENT = 61,
    NVML_GPM_MOST = 400 /* more than any version of the library has */
};

typedef void *nvml_device;
typedef struct {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
} nvml_pci;
typedef struct {
    unsigned long long total, free, used;
} nvml_memory;
typedef struct {
    unsigned gpu, memory; /* percent */
} nvml_utilization;
typedef struct {
    unsigned long long reference_us, ns;
} nvml_violation;
typedef struct {
    nvml_device device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
} nvml_event;
typedef struct {
    unsigned version, supported;
} nvml_gpm_support;
typedef struct {
    unsigned id;
    int result;
    double value;
    char *texts[3];
} nvml_gpm_metric;
typedef struct {
    unsigned version, count;
    void *before, *after;
    nvml_gpm_metric metrics[NVML_GPM_MOST];
} nvml_gpm_metrics;

typedef struct {
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
    unsigned health;
} nvml_fabric;
typedef struct {
    unsigned id, scope; /* scope: of NVLink a link, UINT_MAX: all */
    long long at, latency;
    unsigned type;
    int result;
    uint64_t value;
} nvml_field;

/* X(name here, name there, parameters). Functions that an old driver lacks are NULL. */
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, nvmlInit_v2, (void))                                                                   \
    X(shutdown, nvmlShutdown, (void))                                                              \
    X(count, nvmlDeviceGetCount_v2, (unsigned *))                                                  \
    X(handle, nvmlDeviceGetHandleByIndex_v2, (unsigned, nvml_device *))                            \
    X(pci, nvmlDeviceGetPciInfo_v3, (nvml_device, nvml_pci *))                                     \
    X(uuid, nvmlDeviceGetUUID, (nvml_device, char *, unsigned))                                    \
    X(memory, nvmlDeviceGetMemoryInfo, (nvml_device, nvml_memory *))                               \
    X(utilization, nvmlDeviceGetUtilizationRates, (nvml_device, nvml_utilization *))               \
    X(clock, nvmlDeviceGetClockInfo, (nvml_device, unsigned, unsigned *))                          \
    X(clock_limit, nvmlDeviceGetMaxClockInfo, (nvml_device, unsigned, unsigned *))                 \
    X(energy, nvmlDeviceGetTotalEnergyConsumption, (nvml_device, unsigned long long *))            \
    X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (nvml_device, unsigned *))                     \
    X(temperature, nvmlDeviceGetTemperature, (nvml_device, unsigned, unsigned *))                  \
    X(violation, nvmlDeviceGetViolationStatus, (nvml_device, unsigned, nvml_violation *))          \
    X(reasons, nvmlDeviceGetCurrentClocksThrottleReasons, (nvml_device, unsigned long long *))     \
    X(ecc, nvmlDeviceGetTotalEccErrors, (nvml_device, unsigned, unsigned, unsigned long long *))   \
    X(replays, nvmlDeviceGetPcieReplayCounter, (nvml_device, unsigned *))                          \
    X(generation, nvmlDeviceGetCurrPcieLinkGeneration, (nvml_device, unsigned *))                  \
    X(width, nvmlDeviceGetCurrPcieLinkWidth, (nvml_device, unsigned *))                            \
    X(throughput, nvmlDeviceGetPcieThroughput, (nvml_device, unsigned, unsigned *))                \
    X(mig_mode, nvmlDeviceGetMigMode, (nvml_device, unsigned *, unsigned *))                       \
    X(mig_count, nvmlDeviceGetMaxMigDeviceCount, (nvml_device, unsigned *))                        \
    X(mig_handle, nvmlDeviceGetMigDeviceHandleByIndex, (nvml_device, unsigned, nvml_device *))     \
    X(mig_instance, nvmlDeviceGetGpuInstanceId, (nvml_device, unsigned *))                         \
    X(gpm_support, nvmlGpmQueryDeviceSupport, (nvml_device, nvml_gpm_support *))                   \
    X(gpm_alloc, nvmlGpmSampleAlloc, (void **))                                                    \
    X(gpm_free, nvmlGpmSampleFree, (void *))                                                       \
    X(gpm_sample, nvmlGpmSampleGet, (nvml_device, void *))                                         \
    X(gpm_mig_sample, nvmlGpmMigSampleGet, (nvml_device, unsigned, void *))                        \
    X(gpm_metrics, nvmlGpmMetricsGet, (nvml_gpm_metrics *))                                        \
    X(link_state, nvmlDeviceGetNvLinkState, (nvml_device, unsigned, unsigned *))                   \
    X(link_remote, nvmlDeviceGetNvLinkRemotePciInfo_v2, (nvml_device, unsigned, nvml_pci *))       \
    X(fabric, nvmlDeviceGetGpuFabricInfoV, (nvml_device, nvml_fabric *))                           \
    X(fields, nvmlDeviceGetFieldValues, (nvml_device, int, nvml_field *))                          \
    X(event_set, nvmlEventSetCreate, (void **))                                                    \
    X(event_register, nvmlDeviceRegisterEvents, (nvml_device, unsigned long long, void *))         \
    X(event_wait, nvmlEventSetWait_v2, (void *, nvml_event *, unsigned))

#endif
