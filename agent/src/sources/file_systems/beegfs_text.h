/* beegfs_text.h: the parser of the output of `beegfs-ctl --clientstats --rwunit=B`. */
#ifndef JST_BEEGFS_TEXT_H
#define JST_BEEGFS_TEXT_H

#include "source.h"

#define JST_BEEGFS_CELLS (JST_STORAGE_SYNC_OPS + 1)
#define JST_BEEGFS_NAME 64

/* One client: its requests to all servers of one kind since they were started. */
typedef struct jst_beegfs_client {
    char name[JST_BEEGFS_NAME]; /* its address */
    uint64_t value[JST_BEEGFS_CELLS];
    uint32_t unknown; /* bits of metrics */
} jst_beegfs_client;

/** Calls `each` for the clients of a text of n bytes; banners and sums are skipped. Returns false
 *  where the text ends within a line, which is left out. */
bool jst_beegfs_clients(const char *text, size_t n,
                        void (*each)(void *to, const jst_beegfs_client *client), void *to);

#endif
