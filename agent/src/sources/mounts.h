/* mounts.h: the lines of /proc/mounts (mounts.c). */
#ifndef JST_MOUNTS_H
#define JST_MOUNTS_H

#include "source.h"

#define JST_MOUNT_TEXT 256

/** Calls `each` for every mount of a type, in order, with its source and path. A line with a
 *  longer text is left out. The mounts themselves are not touched: a dead server blocks nothing. */
void jst_mounts(const char *type, void (*each)(void *to, const char *source, const char *path),
                void *to);

#endif
