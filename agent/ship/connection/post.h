/* post.h: a post: ranges of files, one after the other, and what to record once they are
 * acknowledged. */
#ifndef JST_SHIP_POST_H
#define JST_SHIP_POST_H

#include "ship.h"

/* The sent parts of one file. */
typedef struct jst_sent {
    jst_ship_file *file;
    uint64_t end;       /* the receiver has this many bytes when it stored all of it */
    uint32_t unit_from; /* units of its header, in the post's list ... */
    uint32_t unit_to;   /* ... up to here */
    bool asked;         /* only a query what the receiver has */
    bool all;           /* nothing of it was left */
    bool over;
} jst_sent;

typedef struct jst_post {
    uint8_t *bytes;
    size_t size, room; /* bytes used; the most that it may have */
    uint32_t ranges;
    jst_sent *sent;
    uint32_t sent_count;
    uint32_t *units;
    uint32_t unit_count;
    size_t range; /* where the open range begins */
} jst_post;

/** Begins an empty post of at most `room` bytes. Returns false without memory. */
bool jst_post_begin(jst_post *p, size_t room);
/** Bytes of data that a range of a file of this name could still take; 0: none fits. */
size_t jst_post_room(const jst_post *p, size_t name_length);
/** Opens a range; returns where to put its data; it is closed with its length. */
uint8_t *jst_post_open(jst_post *p, const char *name, uint32_t owner, uint64_t file, uint32_t flags,
                       uint64_t offset);
void jst_post_close(jst_post *p, size_t bytes);
/** Records a unit that was put into the post. Returns false when there is no space. */
bool jst_post_unit(jst_post *p, uint32_t unit);
uint32_t jst_crc32(const uint8_t *bytes, size_t n);

#endif
