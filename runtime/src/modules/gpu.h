/* gpu.h: what a GPU does for this process, as libjostle_cuda.so tells (gpu.c). */
#ifndef JST_GPU_MODULE_H
#define JST_GPU_MODULE_H

#include "common.h"

/** The program is about to call CUPTI itself: the recorder lets go of it first, unless both have room
 *  beside others. */
void jst_gpu_yield(bool beside_others);

#endif
