/* state.h: the file .jostle-ship in the spool: it locks the spool for one shipper, has the state
 * for `--status`, and keeps the notes of gaps over a restart. */
#ifndef JST_SHIP_STATE_H
#define JST_SHIP_STATE_H

#include "connection/post.h"
#include "spool/spool.h"

#define JST_STATE_NAME ".jostle-ship"
#define JST_STATE_TEXT 4096
#define JST_GAPS 4096

/* A file that was dropped: its bytes up to size will never be sent. */
typedef struct jst_gap {
    uint32_t crc; /* of all that follows; 0 in a free place */
    uint32_t owner;
    uint64_t id, size;
    char name[JST_SHIP_NAME + 1];
    uint8_t reserved[31];
} jst_gap;

typedef struct jst_state {
    int fd;
    uint32_t gaps; /* notes that the receiver does not have yet */
    jst_gap gap[JST_GAPS];
    bool sent[JST_GAPS]; /* in the post that is being sent */
    int64_t wait_ns;     /* the receiver accepted none of them: not before this, CLOCK_BOOTTIME */
} jst_state;

/** Opens it in a spool, and locks it. Returns false after a message: another shipper has it. */
bool jst_state_open(jst_state *s, const jst_spool *spool);
/** Records a gap, on disk before it returns. Returns false when there is no space for it. */
bool jst_state_add(jst_state *s, uint32_t owner, uint64_t id, uint64_t size, const char *name);
/** Puts notes of gaps into a post. */
void jst_state_emit(jst_state *s, jst_post *p);
/** Forgets those gaps of the last post that the receiver has; it answers in any order. */
void jst_state_acknowledge(jst_state *s, uint32_t owner, uint64_t id);
/** The answer was taken: of `before` gaps that there were, those that are left wait if none went. */
void jst_state_answered(jst_state *s, uint32_t before);
/** Writes the text that `--status` shows. */
void jst_state_text(jst_state *s, const char *text);
/** Reads it, for a shipper that may run; "" when there is none. */
void jst_state_read(int dir, char *text, size_t n, uint32_t *gaps);

#endif
