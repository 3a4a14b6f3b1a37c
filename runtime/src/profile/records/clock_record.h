/* clock_record.h: 'C' records of the profile (clock_record.c). */
#ifndef JST_CLOCK_RECORD_H
#define JST_CLOCK_RECORD_H

#include <stdint.h>

/** The header has the state of the clock; records follow from here on. */
void jst_clock_record_begin(uint64_t now_ns);
/** At a slice boundary: puts the state into the header, and appends a record if it changed. */
void jst_clock_record_check(int fd, uint64_t now_ns);

#endif
