/* slice.h: slices, and the records of the profile (slice.c). */
#ifndef JST_SLICE_H
#define JST_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void jst_slice_begin(int fd);
/** The process is about to end: what the head does not hold by itself is written. */
void jst_slice_finish(int fd);
void jst_slice_tick(int fd, uint64_t now_ns);
void jst_note(int fd, uint64_t now_ns, const char *text);
bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n);

#endif
