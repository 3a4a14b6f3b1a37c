/* gpu_events.h: events of a GPU's driver, which show when it has reached a position in a stream
 * (gpu_events.c). */
#ifndef JST_GPU_EVENTS_H
#define JST_GPU_EVENTS_H

#include "common.h"

#define JST_GPU_NOT_READY 600 /* of both vendors' drivers */

/* CUDA's driver and HIP have the same functions under other names. All return 0 on success. */
typedef struct jst_gpu_events {
    int (*create)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*query)(void *event);
    int (*elapsed)(float *ms, void *from, void *to);
    int (*is_capturing)(void *stream, int *status);
} jst_gpu_events;

/** NULL: no driver is loaded, or it lacks a function. */
const jst_gpu_events *jst_gpu_events_of_driver(void);

#endif
