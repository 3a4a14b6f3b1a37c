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
    uint64_t hash_bytes; /* of headers */
    jst_ship_user *users;
    jst_ship_file *bucket[JST_SPOOL_BUCKETS];
} jst_spool;

/** Opens the folder. Returns false after a message. */
bool jst_spool_open(jst_spool *s, const char *path);
/** Whether the folder is still the one under its path. Returns false after a message that it is
 * not. */
bool jst_spool_is_current(const jst_spool *s, const char *path);
/** Finds new files and those that are gone. Files of the first scan may be known to the receiver;
 *  later ones are new. */
void jst_spool_scan(jst_spool *s);
/** Whether it is the name of a profile. */
bool jst_spool_is_name(const char *name, enum jst_ship_kind *kind);
/** Opens a file of it: the same one that was found. Returns the descriptor, or -1: it is gone, or
 *  was replaced. Fills in its size. */
int jst_spool_open_file(jst_spool *s, jst_ship_file *f);
/** Removes a file from the folder, if its name still belongs to it, and forgets it. Returns false
 *  when it was not removed, with errno. */
bool jst_spool_remove(jst_spool *s, jst_ship_file *f);
void jst_spool_forget(jst_spool *s, jst_ship_file *f);
/** Drops the hashes of a header: all of it is sent again. */
void jst_spool_drop_hashes(jst_spool *s, jst_ship_file *f);

#endif
