/* gpfs_text.h: the parser of the answers of `mmpmon -p`. */
#ifndef JST_GPFS_TEXT_H
#define JST_GPFS_TEXT_H

#include "source.h"

#define JST_GPFS_CELLS (JST_STORAGE_META_OPS + 1)
#define JST_GPFS_NAME 128

/* One file system of fs_io_s, or one disk of nsd_ds, with its counters. */
typedef struct jst_gpfs_part {
    enum jst_component_kind kind; /* JST_KIND_GPFS_MOUNT or JST_KIND_GPFS_DISK */
    char name[JST_GPFS_NAME];
    char cluster[JST_GPFS_NAME]; /* that owns the file system */
    uint64_t value[JST_GPFS_CELLS];
    uint32_t known, unknown; /* bits of metrics */
} jst_gpfs_part;

/* The status of the answers: their _rc_, or -1 where there was none. */
typedef struct jst_gpfs_codes {
    long mounts, disks;
} jst_gpfs_codes;

/** Calls `each` for the parts of an answer of n bytes. A line without its end is left out. */
void jst_gpfs_answer(const char *text, size_t n, jst_gpfs_codes *codes,
                     void (*each)(void *to, const jst_gpfs_part *part), void *to);

/** Whether a whole line begins with `_io_s_`: the answer to the last request. */
bool jst_gpfs_is_whole(const char *text, size_t n);

#endif
