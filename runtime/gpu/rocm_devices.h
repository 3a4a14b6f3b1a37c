/* rocm_devices.h: which GPU an agent or a number of HIP's means (rocm_devices.c). */
#ifndef JST_ROCM_DEVICES_H
#define JST_ROCM_DEVICES_H

#include <stdint.h>

#include "rocprofiler_library.h"

/** To be called before the others. Not 0: the agents are not known, by this status. */
int rocm_devices_begin(const struct rocprofiler_library *library);
/** libjostle's number of this agent's GPU. */
unsigned rocm_device(uint64_t agent);
/** The same for the GPU that HIP uses in this thread. */
unsigned rocm_device_of_thread(void);

#endif
