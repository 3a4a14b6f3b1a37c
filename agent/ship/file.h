/* file.h: one file of the spool: what it holds now, and what of it goes into a post. */
#ifndef JST_SHIP_FILE_H
#define JST_SHIP_FILE_H

#include "answer.h"
#include "post.h"
#include "spool.h"

/* A file as it is now. */
typedef struct jst_look {
    int fd;
    uint64_t size;
    uint64_t limit;      /* bytes that will not change, but in the head */
    uint32_t head_bytes; /* 0: it has no head */
    uint32_t units;      /* of the head, that were read */
    uint64_t hash;       /* of what was seen: equal, it has not changed */
} jst_look;

/** Looks at a file, and finds out whether its writer is gone. Returns false when it cannot be read
 *  now. There is one look at a time; close it at its end. */
bool jst_file_look(jst_spool *s, jst_ship_file *f, jst_look *to);
void jst_look_close(jst_look *l);
/** Puts what the receiver lacks of a file into a post: at most `most` bytes of new ones. */
void jst_file_emit(jst_spool *s, jst_ship_file *f, const jst_look *l, jst_post *p, uint64_t most);
/** Nobody knows whether what was sent of a file was stored. */
void jst_file_lost(const jst_post *p, const jst_sent *sent);
/** Takes the receiver's answer for what was sent of a file; NULL: it did not say anything of it.
 *  May forget the file. */
void jst_file_acknowledge(jst_spool *s, const jst_post *p, const jst_sent *sent,
                          const jst_answer_file *answer);

#endif
