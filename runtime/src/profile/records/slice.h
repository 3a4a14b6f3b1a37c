/* slice.h: the work at a slice boundary (slice.c). */
#ifndef JST_SLICE_H
#define JST_SLICE_H

#include <stdint.h>

void jst_slice_begin(int fd);
/** The process is about to end: writes what is not in the header itself. */
void jst_slice_finish(int fd);
void jst_slice_tick(int fd, uint64_t now_ns);

#endif
