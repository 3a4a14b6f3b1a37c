/* system.h: sources of what every Linux machine has. */
#ifndef JST_SYSTEM_H
#define JST_SYSTEM_H

#include "../source.h"

extern const jst_source jst_source_disk;

#endif
