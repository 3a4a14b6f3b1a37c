/* gpfs.h: the source of GPFS (gpfs.c). */
#ifndef JST_GPFS_H
#define JST_GPFS_H

#include "source.h"

extern const jst_source jst_source_gpfs;

#endif
