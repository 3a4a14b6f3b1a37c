/* perf_group.h: the two groups of events, and the threads for which each is counted. Heartbeat
 * only. */
#ifndef JST_PERF_GROUP_H
#define JST_PERF_GROUP_H

#include "common.h"
#define JST_PER_GROUP 4

enum { JST_HARD, JST_SOFT, JST_GROUPS }; /* of the processor, of the kernel */

typedef struct jst_event_kind {
    uint8_t bit; /* in perf_asked and perf_granted */
    uint8_t config;
    uint16_t cell;
    bool in_user_too; /* useful where the kernel must be excluded */
    const char *name; /* NULL: a free place */
} jst_event_kind;

extern const jst_event_kind jst_event_kinds[JST_GROUPS][JST_PER_GROUP];

/* Results of the probe. */
typedef struct jst_group_use {
    unsigned usable;               /* a bit per event */
    uint64_t flags[JST_PER_GROUP]; /* of each event */
    bool open;
} jst_group_use;

extern jst_group_use jst_groups[JST_GROUPS];
extern uint64_t
    jst_inherit; /* flags by which new threads are followed, 0: only by searching them */

/** One event, with its further flags, of a thread (0: the caller); a descriptor or -errno. */
int jst_group_event(unsigned g, unsigned e, uint64_t more, uint32_t tid, int leader);
int jst_group_leader(const int *fds);
void jst_group_close_fds(int *fds);
/** Follows all threads. 0, or the error because of which some are left out. */
int jst_group_open(unsigned g);
void jst_group_close(unsigned g);
void jst_group_forget(
    unsigned g); /* descriptors of a heartbeat before us, which are gone with it */
/** Where threads do not pass events on: finds new threads, and removes dead ones. */
int jst_group_look(unsigned g, uint64_t *cells);
/** Adds what was counted since the last time. */
void jst_group_read(unsigned g, uint64_t *cells);

#endif
