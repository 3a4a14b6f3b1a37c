/* beegfs.h: the source of BeeGFS (beegfs.c). */
#ifndef JST_BEEGFS_H
#define JST_BEEGFS_H

#include "source.h"

extern const jst_source jst_source_beegfs;

#endif
