/* rocm_devices.h: which GPU an agent or a number of HIP's means (rocm_devices.c). */
#ifndef JST_ROCM_DEVICES_H
#define JST_ROCM_DEVICES_H

#include <stdint.h>

#include "rocprofiler_library.h"

/** Before the others. Not 0: the agents are not told, by this status. */
int rocm_devices_begin(const struct rocprofiler_library *library);
/** libjostle's number of the GPU that this agent is. */
unsigned rocm_device(uint64_t agent);
/** The same, of the GPU that HIP uses in this thread. */
unsigned rocm_device_of_thread(void);

#endif
