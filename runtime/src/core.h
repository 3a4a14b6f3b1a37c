/* core.h: the life of a process image (core.c).
 *
 * Life of a process as jostle sees it:
 *   NEW      nothing has happened yet
 *   LAZY     counted in memory only: no file, no thread; most processes of a job script end here
 *   RUNNING  counters are in the mapped header of the profile, the heartbeat writes slices
 *   MEMORY   a profile could not be made: counted, and reported in one record at the end
 *   OFF      switched off: every wrapper passes straight through */
#ifndef JST_CORE_H
#define JST_CORE_H

#include "common.h"
#include "profile/profile_layout.h"

#define JST_START_BYTES 65536  /* moved bytes after which a process gets a profile */
#define JST_START_NS 100000000 /* age after which a wrapped call starts the profile */

enum jst_state { JST_NEW, JST_LAZY, JST_STARTING, JST_RUNNING, JST_MEMORY, JST_OFF };

extern JST_HIDDEN _Atomic uint32_t jst_state;

typedef struct jst_life {
    uint64_t start_ns; /* CLOCK_REALTIME when this image (or forked child) came up */
    uint64_t start_ticks;
    uint32_t part;
    int pid;
    bool in_valgrind; /* which knows no bare clone: no heartbeat */
} jst_life;

extern JST_HIDDEN jst_life jst_now_life;

void jst_come_up(void);
void jst_ending(enum jst_end_reason reason); /* the image is about to end gracefully */
void jst_not_ending(void);                   /* exec failed: it continues */
void jst_new_part(void);
void jst_sandboxed(void);
void jst_start(void);
void jst_due(void);             /* a call began at jst_start_due or later */
void jst_moved(uint64_t bytes); /* a call of a process without a profile moved so many */

extern JST_HIDDEN _Atomic uint32_t jst_in_sandbox;

/** False after jst_sandboxed: jostle adds no system call to the program's threads any more. */
static inline bool jst_may_syscall(void)
{
    return JST_LIKELY(!JST_PEEK(uint32_t, jst_in_sandbox));
}

/** Ticks from which on a call starts the profile; UINT64_MAX where there is one, or never will be. */
extern JST_HIDDEN _Atomic uint64_t jst_start_due;

static inline bool jst_is_lazy(void)
{
    return JST_PEEK(uint32_t, jst_state) == JST_LAZY;
}

#endif
