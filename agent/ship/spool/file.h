/* file.h: one file of the spool: its current state, and the parts of it that are sent. */
#ifndef JST_SHIP_FILE_H
#define JST_SHIP_FILE_H

#include "connection/answer.h"
#include "connection/post.h"
#include "spool/spool.h"

/* A file as it is now. */
typedef struct jst_look {
    int fd;
    uint64_t size;
    uint64_t limit;      /* bytes that will not change, except in the header */
    uint32_t head_bytes; /* 0: it has no header */
    uint32_t units;      /* bytes of the header that were read */
    uint64_t hash;       /* hash of what was read: if equal, it has not changed */
} jst_look;

/** Reads a file, and finds whether its writer is gone. Returns false when it cannot be read now.
 *  Only one may be open at a time; close it at the end. */
bool jst_file_look(jst_spool *s, jst_ship_file *f, jst_look *to);
void jst_look_close(jst_look *l);
/** Puts the bytes of a file that the receiver lacks into a post: at most `most` new ones. */
void jst_file_emit(jst_spool *s, jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most);
/** It is not known whether the sent bytes of a file were stored. */
void jst_file_lost(const jst_post *p, const jst_sent *sent);
/** Processes the receiver's answer on the sent bytes of a file; NULL: there is none. May forget the
 *  file. */
void jst_file_acknowledge(jst_spool *s, const jst_post *p, const jst_sent *sent,
                          const jst_answer_file *answer);

#endif
