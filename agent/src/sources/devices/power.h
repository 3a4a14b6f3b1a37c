/* power.h: the texts of power and temperature files (power.c, cray_power.c). */
#ifndef JST_POWER_H
#define JST_POWER_H

#include "sysfs.h"

/** The level in `71 W 1700061089722572 us`: number and unit ("J", "W"). BAD where it is something else. */
jst_found jst_cray_number(const char *text, const char *unit, uint64_t *number);
/** The processor that a label of coretemp names, `Package id 1` (false for others). */
bool jst_package_of_label(const char *label, uint64_t *package);
/** A temperature in thousandths of a degree; below zero counts as 0. */
jst_found jst_temperature(const char *text, uint64_t *millidegrees);

#endif
