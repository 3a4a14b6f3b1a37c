/* ports.h: the texts of a port in /sys/class/infiniband (ports.c). */
#ifndef JST_PORTS_H
#define JST_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sysfs.h"

/** Whether `state` (`4: ACTIVE`) means that the link carries data. */
bool jst_port_is_active(const char *state);
/** Bytes of data per second and direction of `rate` (`40 Gb/sec (4X QDR)`); 0: it has none. */
uint64_t jst_port_rate(const char *rate);
/** A counter's number; BAD where it has none or is saturated, all ones of its width in bits (1 to
 * 64). */
jst_found jst_port_number(const char *text, unsigned bits, uint64_t *number);

#endif
