/* spool.h: the files of the spool folder, by name and by user. */
#ifndef JST_SHIP_SPOOL_H
#define JST_SHIP_SPOOL_H

#include "ship.h"

#define JST_SPOOL_BUCKETS 4096

typedef struct jst_spool {
    int dir;
    uint32_t owner; /* of the folder */
    uint32_t scans;
    uint32_t files;
    uint32_t sharing;    /* users other than root who have files, and ... */
    uint32_t shared;     /* ... their files */
    uint64_t disk;       /* bytes that all its files take */
    uint64_t hash_bytes; /* of heads */
    jst_ship_user *users;
    jst_ship_file *bucket[JST_SPOOL_BUCKETS];
} jst_spool;

/** Opens the folder. Returns false after saying why. */
bool jst_spool_open(jst_spool *s, const char *path);
/** Whether the folder is still the one under its path. Returns false after saying that it is not. */
bool jst_spool_is_current(const jst_spool *s, const char *path);
/** Looks for new files and for those that are gone. Files that were there at the first scan may be known
 *  to the receiver; later ones are new. */
void jst_spool_scan(jst_spool *s);
/** Whether the name is one that profiles have. */
bool jst_spool_is_name(const char *name, enum jst_ship_kind *kind);
/** Opens a file of it: the very one that was found. Returns the descriptor, or -1: it is not there, or
 *  no longer what it was. Fills in its size. */
int jst_spool_open_file(jst_spool *s, jst_ship_file *f);
/** Removes a file from the folder, if its name still stands for it, and forgets it. Returns false when
 *  it stays, with errno. */
bool jst_spool_remove(jst_spool *s, jst_ship_file *f);
void jst_spool_forget(jst_spool *s, jst_ship_file *f);
/** Gives up the hashes of a head: all of it is sent again. */
void jst_spool_drop_hashes(jst_spool *s, jst_ship_file *f);

#endif
