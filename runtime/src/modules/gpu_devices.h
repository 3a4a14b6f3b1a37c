/* gpu_devices.h: the GPUs that this process has used, and the table of them in the profile's header
 * (gpu_devices.c). */
#ifndef JST_GPU_DEVICES_H
#define JST_GPU_DEVICES_H

#include "../../include/jst_gpu.h"
#include "common.h"

/** The number of a GPU, which gets a place if it is new; JST_GPUS: there is none left. */
unsigned jst_gpu_number(const jst_gpu_device *device);
/** GPUs that have a place: the first ones. */
unsigned jst_gpus_used(void);
/** The table is empty: all known GPUs are put into it again. */
void jst_gpus_to_head(void);
void jst_gpus_child(void);

#endif
