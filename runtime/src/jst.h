/* jst.h: what the parts of libjostle share. The hot path of a wrapped call is inline here.
 *
 * Life of a process as jostle sees it:
 *   NEW      nothing has happened yet
 *   LAZY     counted in memory only: no file, no thread; most processes of a job script end here
 *   RUNNING  counters live in the mapped head of the profile, the heartbeat writes slices
 *   MEMORY   a profile could not be made: counted, and reported in one record at the end
 *   OFF      switched off: every wrapper passes straight through
 */
#ifndef JST_H
#define JST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../include/jst_metrics.h"
#include "profile_layout.h"
#include "sys.h"

#define JST_EXPORT __attribute__((visibility("default")))
#define JST_SLOW __attribute__((noinline))
#define JST_COLD __attribute__((noinline, cold))
/* Of variables of more than a page or so: they come last (jostle.ld), so that the small ones share few
 * pages. */
#define JST_LARGE __attribute__((section(".bss.large")))
/* Of large ones that hold nothing from one call to the next, and are used now and then: their pages are
 * given back (release_pages.c). */
#define JST_SCRATCH __attribute__((section(".bss.scratch")))
#define JST_LIKELY(x) __builtin_expect(!!(x), 1)
#define JST_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define JST_BLOCKS 24        /* blocks in the file; more threads than that use memory */
#define JST_MORE_BLOCKS 8192 /* blocks in memory, reserved only when needed */
#define JST_TABLE_BYTES 12288
#define JST_RING_BYTES 65536   /* segments that no record holds yet */
#define JST_START_BYTES 65536  /* moved bytes after which a process gets a profile */
#define JST_START_NS 100000000 /* age after which a wrapped call starts the profile */

/* Modules may be left out at build time (CMake: JOSTLE_WITH_...). */
#ifndef JST_WITH_OS
#define JST_WITH_OS 1
#endif
#ifndef JST_WITH_PERF
#define JST_WITH_PERF 1
#endif
#ifndef JST_WITH_PAPI
#define JST_WITH_PAPI 1
#endif

enum jst_state { JST_NEW, JST_LAZY, JST_STARTING, JST_RUNNING, JST_MEMORY, JST_OFF };
enum jst_end {
    JST_END_NONE,
    JST_END_EXIT,
    JST_END__EXIT,
    JST_END_EXEC,
    JST_END_ABORT,
    JST_END_PART
};

/* Words that one thread writes and another may read meanwhile. */
#define JST_STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
#define JST_LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

/* One thread's counters. Single writer; grows for ever; the heartbeat only reads. Block 0 is the
 * heartbeat's own (os and self metrics). The header's words are the thread's own too: */
typedef struct jst_block {
    _Atomic uint32_t tid; /* owner, 0 = never used */
    uint32_t mark; /* state mark: the state timer's cell while a call is in progress, else 0 */
    uint64_t gap;
    uint64_t since;      /* ticks when the marked call began */
    uint64_t signature;  /* sum of token hashes since the thread came up (segment.c) */
    uint64_t kinds;      /* set of tokens since the segment began */
    uint64_t cpu_ticks;  /* when the thread's CPU clock was read last, ticks */
    uint64_t cpu_ns;     /* and what it said */
    uint64_t call_ticks; /* time in MPI calls since then */
    uint64_t cells[JST_CELL_COUNT];
} __attribute__((aligned(128))) jst_block;

_Static_assert(offsetof(jst_block, cells) == 64, "a block's header");
_Static_assert(sizeof(jst_block) <= 2 * JST_PAGE, "memory per thread");

/* Segments on their way into records: written by the program's threads, drained by the heartbeat. */
typedef struct jst_ring {
    _Atomic uint64_t written, drained;
    uint8_t gap[48];
    uint8_t data[JST_RING_BYTES - 64];
} jst_ring;

/* The mapped head. Static, so that its address never changes: the file is mapped over it. */
typedef struct jst_area {
    jst_head head;
    jst_commit commit[2];
    jst_block blocks[JST_BLOCKS];
    jst_ring ring;
    char table[JST_TABLE_BYTES]; /* written once: not beside what is written all the time */
} __attribute__((aligned(JST_PAGE))) jst_area;

#define JST_HEAD_BYTES ((uint32_t)sizeof(jst_area))

extern jst_area jst_a;

/* A page that the kernel wipes in a forked child (MADV_WIPEONFORK): mask is all ones as long as
 * this is the process that set it. One AND with the thread's block pointer, and one test, tell
 * "first call of this thread", "first call after fork" and "switched off" from the usual case. */
typedef struct jst_wipe_page {
    uintptr_t mask;
    uint8_t gap[JST_PAGE - sizeof(uintptr_t)];
} jst_wipe_page;

extern jst_wipe_page jst_wipe;
extern __thread jst_block *jst_tls_block;
extern __thread uint32_t jst_tls_vfork; /* this thread runs in a vfork child */

extern _Atomic uint32_t jst_state;

jst_block *jst_enter_slow(void);

/** The calling thread's block, or NULL when nothing is to be counted. */
static inline jst_block *jst_enter(void)
{
    jst_block *b = (jst_block *)((uintptr_t)jst_tls_block & jst_wipe.mask);
    return JST_LIKELY(b != NULL) ? b : jst_enter_slow();
}

/* One instruction: a signal handler that counts in between cannot lose an update. */
static inline void jst_add(uint64_t *cell, uint64_t n)
{
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(n) : "cc");
#else
    atomic_fetch_add_explicit((_Atomic uint64_t *)cell, n, memory_order_relaxed);
#endif
}

/* ---- time (clock.c) ---- */
extern uint32_t jst_no_tsc;  /* 1: the time-stamp counter cannot be used, ticks are nanoseconds;
                                2: no clock at all may be read, calls are only counted */
extern uint64_t jst_tick_ns; /* nanoseconds per tick, 32.32 */

static inline uint64_t jst_ticks(void)
{
#if defined(__x86_64__)
    if (JST_LIKELY(!jst_no_tsc))
        return __builtin_ia32_rdtsc();
#endif
    if (jst_no_tsc == 2)
        return 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void jst_clock_begin(void);     /* remember where ticks and nanoseconds stand */
void jst_clock_calibrate(void); /* ticks against CLOCK_MONOTONIC since jst_clock_begin */
void jst_clock_check(void);     /* may the time-stamp counter be trusted here? */
uint64_t jst_ticks_to_ns(uint64_t ticks);
void jst_clock_state(uint32_t *state, uint32_t *error_us);

/* ---- descriptors and mounts (mount.c) ----
 * A place is where traffic belongs: 0 not known yet, 1..8 a mount slot (plus one), or one of: */
#define JST_PLACE_STREAM 0x3e
#define JST_PLACE_IGNORE 0x3f
#define JST_PLACE_OTHER JST_MOUNT_SLOTS
#define JST_FDS 65536
/* With a mount: it was opened in a trusted directory, and not looked at yet (trusted_dirs.h). */
#define JST_PLACE_TRUSTED 0x40

/* What is known of a descriptor's number. In one cache line, so that what a call needs lies together,
 * and the usual numbers in a page; 4 MiB of address space. */
typedef struct jst_descriptor {
    struct jst_access {  /* access.h */
        uint64_t origin; /* where the last write ended, less run, modulo 2^64 */
        uint64_t run;    /* bytes written since the last step back, or since it was opened */
        uint64_t offset; /* the file offset while it is away from where the last write ended */
        uint64_t before; /* bytes written before run; JST_ACCESS_... in the high bits */
    } access;
    uint64_t twin_of; /* whose duplicate it is, and */
    uint32_t twinned; /* how often it was duplicated anew (access.c) */
    _Atomic uint8_t place;
    _Atomic uint8_t source; /* of a trusted one: what its place was taken from */
    _Atomic uint8_t turn;   /* how many directories the number has stood for */
} __attribute__((aligned(64))) jst_descriptor;

extern jst_descriptor jst_descriptors[JST_FDS];

unsigned jst_fd_resolve(int fd);

static inline unsigned jst_fd_known(int fd)
{
    return (unsigned)fd < JST_FDS
               ? atomic_load_explicit(&jst_descriptors[fd].place, memory_order_relaxed)
               : 0;
}

static inline unsigned jst_fd_place(int fd)
{
    unsigned p = jst_fd_known(fd);
    return JST_LIKELY(p - 1 < JST_PLACE_TRUSTED - 1) ? p : jst_fd_resolve(fd);
}

/** The same, where trust will do: for a descriptor that is about to be closed. */
static inline unsigned jst_fd_place_trusted(int fd)
{
    unsigned p = jst_fd_known(fd);
    return JST_LIKELY(p != 0) ? p & ~JST_PLACE_TRUSTED : jst_fd_resolve(fd);
}

/** Forgets what a descriptor was; called before it is closed or replaced. */
static inline void jst_fd_forget(int fd)
{
    if ((unsigned)fd < JST_FDS)
        atomic_store_explicit(&jst_descriptors[fd].place, 0, memory_order_relaxed);
}

/** The same, and nothing is remembered: for a descriptor that is about to be closed. 0: not known. */
unsigned jst_fd_place_now(int fd);
void jst_fd_forget_range(unsigned first, unsigned last);
uint32_t jst_fds_seen(void); /* no descriptor from here on was ever looked at */
void jst_cwd_changed(void);

/** Place of a new descriptor; excluded paths are looked at here. */
unsigned jst_fd_opened(int fd);
/** The same of what was opened by a path, which need not be looked at where its directory is trusted.
 *  flags: as given to open. */
unsigned jst_fd_opened_at(int fd, int dirfd, const char *path, int flags);
struct stat;
/** The program was told by fstat what a descriptor is: so were we. */
void jst_fd_told(int fd, const struct stat *st);
/** Place of the directory that holds a path's last component. path must be readable. */
unsigned jst_path_place(int dirfd, const char *path);
/** The same after a call that failed with an error number (0: it did not fail): JST_PLACE_OTHER when
 *  the kernel may not have read the path. */
unsigned jst_path_place_after(int error, int dirfd, const char *path);
/** Place of a device number if it is known already, else jst_path_place. */
unsigned jst_dev_place(uint64_t major, uint64_t minor, int dirfd, const char *path);
/** What a mount slot is called: for the heartbeat, which writes 'M' records. */
void jst_mounts_to_head(void);
unsigned jst_mounts_used(void);
void jst_mounts_forget(void);
void jst_mounts_remember(void);

static inline uint64_t *jst_slot(jst_block *b, unsigned place)
{
    return b->cells + (place - 1) * JST_MOUNT_STRIDE;
}

static inline bool jst_is_mount(unsigned place)
{
    return place - 1 < JST_MOUNT_SLOTS;
}

/* ---- counting ---- */
void jst_start(void);
void jst_moved(void); /* a call moved JST_START_BYTES or more */

/** Counts a failed file call by its class of error number. */
JST_COLD void jst_fail(jst_block *b, unsigned place, int error);

static inline unsigned jst_bucket(uint64_t n)
{
    unsigned bits = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
    return bits < JST_HIST_BUCKETS ? bits : JST_HIST_BUCKETS - 1;
}

/* ---- the real functions (resolve.c) ---- */
#define JST_CALL(module, name, ret, params, kind) JST_I_##name,
#define JST_CALL_OPT(module, name, ret, params, kind) JST_I_##name,
enum jst_call_index {
#include "../../schema/calls.def"
    JST_CALLS
};
#undef JST_CALL
#undef JST_CALL_OPT

extern void *jst_reals[JST_CALLS];
void *jst_resolve(unsigned index);
void jst_resolve_all(void);

/** The real function if it has been looked up already, else NULL. */
static inline void *jst_real_known(unsigned index)
{
    return __atomic_load_n(&jst_reals[index], __ATOMIC_RELAXED);
}

static inline void *jst_real(unsigned index)
{
    void *p = jst_real_known(index);
    return JST_LIKELY(p != NULL) ? p : jst_resolve(index);
}

/** The next definition of a wrapped function after ours, typed as the wrapper. */
#define JST_REAL(name) ((__typeof__(&name))jst_real(JST_I_##name))

/* ---- life (core.c) ---- */
typedef struct jst_life {
    uint64_t start_ns; /* CLOCK_REALTIME when this image (or forked child) came up */
    uint64_t start_ticks;
    uint32_t part;
    int pid;
    bool in_valgrind; /* which knows no bare clone: no heartbeat */
} jst_life;

extern jst_life jst_now_life;

void jst_come_up(void);
void jst_ending(enum jst_end reason); /* the image is about to end in an orderly way */
void jst_not_ending(void);            /* exec failed: it goes on */
void jst_new_part(void);
void jst_sandboxed(void);
bool jst_may_syscall(void);
jst_block *jst_block_at(uint32_t i);
uint64_t jst_sum_cell(unsigned cell);
extern _Atomic uint32_t jst_blocks; /* handed out so far, block 0 included */
void jst_blocks_to_head(void);
extern jst_block *_Atomic jst_more; /* blocks in memory, NULL until needed */

/* ---- configuration (config.c) ---- */
enum jst_segments { JST_SEGMENTS_OFF, JST_SEGMENTS_ON, JST_SEGMENTS_RAW };
enum jst_perf { JST_PERF_AUTO, JST_PERF_ON, JST_PERF_OFF };

enum jst_command { JST_COMMAND_PROGRAM, JST_COMMAND_ALL, JST_COMMAND_NONE };

typedef struct jst_config {
    uint64_t slice_ns;
    char spool[256];
    char job[128];
    char exclude_paths[512]; /* colon separated */
    int segments;            /* enum jst_segments */
    int perf;                /* enum jst_perf: counters of the processor */
    uint64_t segment_span_ns;
    uint64_t canary_ns; /* from one run to the next, 0: off */
    bool peers;
    bool digest;       /* to stderr at the end of the job */
    int command_lines; /* enum jst_command */
    char papi[160];    /* names of events, comma separated */
    char launcher[32], batch[64], world[32];
    bool spool_from_user;
    bool is_first;       /* what a person, a batch system or a login started */
    bool job_is_session; /* no batch system and no name: the login session stands for the job */
} jst_config;

extern jst_config jst_cfg;
bool jst_configure(void); /* false: switched off */
void jst_say(const char *what, const char *value, const char *mend);
bool jst_path_excluded(const char *path);
bool jst_program_excluded(const char *name);

/* ---- spool (spool.c) ---- */
char *jst_job_file_name(char *p, const char *end); /* the job's name and a dot */
bool jst_size_allowed(uint64_t n);                 /* may a file grow to n bytes? (ulimit -f) */
int jst_spool_open(void);                          /* descriptor of the spool folder, or -errno */
int jst_profile_create(int *fd);                   /* 0 or -errno; the area is mapped afterwards */
int jst_profile_again(int *fd); /* the file was removed: a new one with all there is */
void jst_command_line(const char *path, char *to, size_t room); /* of /proc/PID/cmdline */
uint64_t jst_process_start(void); /* hundredths of a second after the boot, 0: not known */
void jst_short_begin(void);
bool jst_short_recorded(void); /* a record has been written, and the process goes on */
void jst_short_record(enum jst_end reason);
extern char jst_profile_name[160];

/* ---- encoding (encode.c): pure, no system call ---- */
uint8_t *jst_put_varint(uint8_t *p, uint64_t v);
uint8_t *jst_put_svarint(uint8_t *p, int64_t v);
uint8_t *jst_put_string(uint8_t *p, const char *s, size_t n);
uint32_t jst_crc32(uint32_t crc, const void *data, size_t n);
/** Writes the changes of all cells and what the code of each stands for (taken), so that what
 *  rounding leaves is carried. delta of timers: ticks. Returns the end of what was written. */
uint8_t *jst_put_cells(uint8_t *p, const uint64_t *delta, uint64_t *taken, uint64_t tick_ns);
/** Puts type and length before a payload of n bytes and the checksum behind it; frame has room for
 *  n + 16 bytes and the payload stands at frame + 12. Returns the start of the record, sets *size. */
uint8_t *jst_frame(uint8_t *frame, uint8_t type, size_t n, size_t *size);
/** Nanoseconds in two bytes: what records hold of times. */
uint16_t jst_short_ns(uint64_t ns);
#define JST_FRAME_GAP 12
#define JST_RECORD_MAX (JST_CELL_COUNT * 11 + 256)

/* ---- slices (slice.c) ---- */
void jst_slice_begin(int fd);
/** The process is about to end: what the head does not hold by itself is written. */
void jst_slice_finish(int fd);
void jst_slice_tick(int fd, uint64_t now_ns);
void jst_note(int fd, uint64_t now_ns, const char *text);
bool jst_append(int fd, uint8_t type, uint8_t *frame, size_t n);

/* ---- segments (segment.c and segment_ring.c; the rest of their door is in mpi.h) ---- */
void jst_segments_drain(int fd); /* in the heartbeat: the ring into a record */
bool jst_segments_hold(void);    /* nobody writes to the ring until let go; false: somebody does */
void jst_segments_let_go(void);
void jst_segments_child(void);    /* in a forked child, and in a sandbox: no segments any more */
void jst_segments_old_part(void); /* before and after the file changes */
void jst_segments_new_part(void);
void jst_peers_write(int fd);
void jst_together_tick(uint64_t now_ns); /* in the heartbeat, at a boundary (all_in_mpi.c) */
void jst_together_child(void);           /* in a forked child */
#define JST_MARK_MOVED 0xffffffffu       /* a state mark: this profile is no process's any more */

/* ---- heartbeat (heartbeat.c) ---- */
bool jst_heartbeat_start(int fd);
bool jst_heartbeat_runs(void); /* in this process */
bool jst_heartbeat_stop(void); /* true: it ran, and is gone */
/** Asks for the ring of segments to be moved into records; does not wait. */
void jst_heartbeat_drain(void);
void jst_heartbeat_sample(void); /* fresh os metrics in block 0, waited for at most 50 ms */
/** Makes the heartbeat do a system call too (set*id are per thread in the kernel). */
void jst_heartbeat_also(long number, long a, long b, long c);

/* What its thread is called, so that other heartbeats know it. */
#define JST_HEARTBEAT_NAME "jostle"

/* ---- processes below this one without a profile (children.c): in the heartbeat only ---- */
void jst_children_begin(void);
void jst_children_look(uint64_t now_ns);

/* ---- canary (modules/canary.c): called by the heartbeat only ---- */
void jst_canary_open(void);
void jst_canary_sample(jst_block *b); /* at a boundary: steal since the last */
/** CLOCK_REALTIME of the next run after now and before a slice boundary, 0: none (or off). */
uint64_t jst_canary_due(uint64_t now, uint64_t boundary);
/** Runs it if it is due and the boundary is not too near; block 0 gets the result. */
void jst_canary_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary);

/* ---- os metrics (modules/os.c) ---- */
void jst_os_begin(void); /* at the start of an image: what was there before us */
void jst_os_child(void); /* in a forked child */
void jst_os_open(void);  /* in the heartbeat: opens /proc files in its own descriptor table */
void jst_os_sample(jst_block *b);
void jst_os_sample_short(jst_block *b); /* only what costs one system call */
const char *jst_os_missing(void);
bool jst_os_leader_gone(void); /* the main thread has ended on its own */

void jst_memory_let_go(void); /* of this library, what only the loader needed (release_pages.c) */

/* ---- cores that the process may use, and waits for (modules/os_cores.c), for os.c ---- */
void jst_cores_child(void);          /* in a forked child */
void jst_cores_open(int task_fd);    /* of /proc/self/task; in the heartbeat, as the next */
void jst_cores_sample(jst_block *b); /* after OS_THREADS is known */

/* ---- small text tools (text.c): no libc, no locale ---- */
size_t jst_strlen(const char *s);
char *jst_put_text(char *p, const char *end, const char *s);
char *jst_put_number(char *p, const char *end, uint64_t v);
bool jst_str_equal(const char *a, const char *b);
bool jst_begins_with(const char *text, const char *with);
const char *jst_env(const char *name);
void jst_copy(void *to, const void *from, size_t n);
void jst_zero(void *to, size_t n);
long jst_read_file(const char *path, char *buf, size_t n); /* NUL-terminated; length or -errno */
/* The same of a path that a user or an operator named: only a regular file of less than n bytes. -ESPIPE
 * when it is no regular file, -EFBIG when it is too large. */
long jst_read_regular(const char *path, char *buf, size_t n);
uint64_t jst_next_number(const char **p); /* the first in a text; p: behind it */
const char *jst_base_name(const char *path);

#endif
