/* cuda_devices.h: which GPU a number of CUPTI's or a context means (cuda_devices.c). */
#ifndef JST_CUDA_DEVICES_H
#define JST_CUDA_DEVICES_H

#include <stdint.h>

#include "../include/jst_gpu.h"
#include "cupti_library.h"

/** To be called before the others. */
void cuda_devices_begin(const jst_gpu_host *host, const struct cupti_library *library);
/** libjostle's number of the GPU that CUDA gives this number to (of those that are visible to the process). */
unsigned cuda_device(uint32_t ordinal);
/** The same for a context (a CUcontext, and CUPTI's number of it). */
unsigned cuda_device_of(void *context, uint32_t context_uid);

#endif
