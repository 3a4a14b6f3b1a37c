/* slingshot.h: the texts of a Slingshot NIC's telemetry (slingshot.c). */
#ifndef JST_SLINGSHOT_H
#define JST_SLINGSHOT_H

#include "sysfs.h"

/** The counter in `103060429480@1743569213.088677609`; BAD where there is none. */
jst_found jst_telemetry_number(const char *text, uint64_t *number);
/** Bytes per second and direction of the port's speed (`BS_200G`, `200G`); 0: it has none. */
uint64_t jst_telemetry_speed(const char *speed);

#endif
