/* gpu_record.h: 'D' records of the profile (gpu_record.c). */
#ifndef JST_GPU_RECORD_H
#define JST_GPU_RECORD_H

#include <stdint.h>

/** A profile begins: no number of a GPU has been written to it. */
void jst_gpu_records_begin(void);
/** At a slice boundary, at which `slice` begins. */
void jst_gpu_records_tick(int fd, uint64_t slice);

#endif
