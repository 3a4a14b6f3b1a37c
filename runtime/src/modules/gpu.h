/* gpu.h: what a GPU does for this process, as reported by libjostle_cuda.so (gpu.c). */
#ifndef JST_GPU_MODULE_H
#define JST_GPU_MODULE_H

#include "common.h"

/** The program is about to call CUPTI itself: the recorder ends its use first, unless both allow
 *  others. */
void jst_gpu_yield(bool with_others);

#endif
