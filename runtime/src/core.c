/* core.c: the life of a process image: start, the first profile, forked children, the end. */
#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>

#include "block.h"
#include "ccl/ccl.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "digest.h"
#include "files/access.h"
#include "files/file.h"
#include "files/mount.h"
#include "heartbeat.h"
#include "inject.h"
#include "modules/modules.h"
#include "modules/os.h"
#include "mpi/all_in_mpi.h"
#include "mpi/peers.h"
#include "mpi/segment.h"
#include "process/left.h"
#include "profile/area.h"
#include "profile/profile_layout.h"
#include "profile/records/record.h"
#include "profile/records/slice.h"
#include "profile/spool.h"
#include "symbols/next_symbol.h"
#include "sys.h"
#include "text.h"

JST_LARGE jst_area jst_a __attribute__((aligned(JST_LARGEST_PAGE)));
jst_wipe_page jst_wipe __attribute__((section(".bss.wipe"), aligned(JST_LARGEST_PAGE)));
#ifndef __x86_64__
uint64_t jst_kernel_page = JST_PAGE;
#endif
__thread jst_block *jst_tls_block;
__thread uint32_t jst_tls_vfork;
/* Block of a thread in a process that has not started: not in jst_tls_block, so that every call
 * takes the slow path and can be delayed while the profile starts. */
static __thread jst_block *tls_early;
_Atomic uint32_t jst_state;
jst_life jst_now_life;
jst_block *_Atomic jst_more;
_Atomic uint32_t jst_blocks;

#define BUSY_NS                                                                                    \
    20000000 /* of CPU time: two ticks of the clock in which the kernel gives the start of a process */

_Atomic uint32_t jst_in_sandbox;
static bool over; /* the end of a short process has been recorded: no profile may begin */
_Atomic uint64_t jst_start_due = UINT64_MAX;
static _Atomic uint64_t moved; /* bytes, while there is no profile */

/* ---- blocks ---- */

/* ThreadSanitizer does not know that a thread which is dead for the kernel has finished its
 * writes. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

static pthread_once_t ends_once = PTHREAD_ONCE_INIT;
static pthread_key_t ends;

static void watch_ends(void)
{
    pthread_key_create(&ends, __tsan_release);
}

static void ends_with(jst_block *b)
{
    pthread_once(&ends_once, watch_ends);
    __tsan_acquire(b);
    pthread_setspecific(ends, b);
}
#else
static void ends_with(jst_block *b)
{
    (void)b;
}
#endif

/* A block of a dead thread is reused with its counters as they are: they only grow, so nothing
 * needs to be merged. There is no thread-exit hook: threads that end by a raw system call are found
 * as well, and calls made during late thread teardown still count. */
static bool take_over(jst_block *b, uint32_t me)
{
    uint32_t tid = atomic_load_explicit(&b->tid, memory_order_relaxed);
    if (tid == 0 || (tid != me && !jst_thread_is_dead(tid)) ||
        !atomic_compare_exchange_strong(&b->tid, &tid, me))
        return false;
    ends_with(b);
    jst_end_mark(b, JST_LOAD(jst_a.head.tick_now)); /* the dead thread was in a call: see left.c */
    b->cpu_ticks = 0;
    return true;
}

jst_block *jst_block_at(uint32_t i)
{
    jst_block *more = atomic_load(&jst_more);
    return i < JST_BLOCKS ? &jst_a.blocks[i] : &more[i - JST_BLOCKS];
}

static bool reserve_more(void)
{
    if (atomic_load(&jst_more))
        return true;
    long p = jst_sys6(SYS_mmap, 0, (long)(JST_MORE_BLOCKS * sizeof(jst_block)),
                      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p < 0 && p > -4096)
        return false;
    jst_block *none = NULL;
    if (!atomic_compare_exchange_strong(&jst_more, &none, (jst_block *)p))
        jst_sys2(SYS_munmap, p, (long)(JST_MORE_BLOCKS * sizeof(jst_block)));
    return true;
}

/* Never decreases: of two concurrent threads the later one may have seen fewer, and blocks that the
 * header does not count are not read. */
void jst_blocks_to_head(void)
{
    uint32_t used = atomic_load(&jst_blocks), published = atomic_load(&jst_a.head.blocks_used);
    while (published < used &&
           !atomic_compare_exchange_weak(&jst_a.head.blocks_used, &published, used))
        used = atomic_load(&jst_blocks);
}

/* RATIONALE: eight candidates after a rotating cursor, then a new block: the cost per new thread
 * stays constant with thousands of live threads, and the number of blocks stays near the largest
 * number of threads that lived at once. */
static jst_block *take_block(void)
{
    JST_STORE(jst_threads, true); /* the first thread takes none */
    static _Atomic uint32_t cursor;
    bool may = jst_may_syscall();
    uint32_t me = may ? (uint32_t)jst_gettid() : UINT32_MAX;
    uint32_t used = atomic_load(&jst_blocks);
    for (unsigned i = 0; may && i < 8 && used > 1; i++) {
        uint32_t at = 1 + atomic_fetch_add(&cursor, 1) % (used - 1);
        if (take_over(jst_block_at(at), me))
            return jst_block_at(at);
    }
    while (used < JST_BLOCKS + JST_MORE_BLOCKS) {
        if (used >= JST_BLOCKS && (!may || !reserve_more()))
            break;
        if (atomic_compare_exchange_weak(&jst_blocks, &used, used + 1)) {
            jst_block *b = jst_block_at(used);
            ends_with(b);
            atomic_store(&b->tid, me);
            jst_blocks_to_head();
            return b;
        }
    }
    atomic_fetch_add(&jst_a.head.lost_threads, 1);
    return NULL;
}

uint64_t jst_sum_cell(unsigned cell)
{
    uint64_t sum = 0;
    uint32_t used = atomic_load(&jst_blocks);
    for (uint32_t i = 0; i < used; i++)
        sum += *(volatile uint64_t *)&jst_block_at(i)->cells[cell];
    return sum;
}

/* ---- the start ---- */

/* Age counts from now on. */
static void be_young(void)
{
    jst_now_life.start_ns = jst_clock_ns(CLOCK_REALTIME);
    jst_now_life.start_ticks = jst_ticks();
    atomic_store(&jst_start_due, jst_now_life.start_ticks + JST_START_NS / 20);
}

static void begin_lazily(void)
{
    jst_block *b = &jst_a.blocks[1];
    atomic_store(&jst_blocks, 2);
    tls_early = b;
    atomic_store(&b->tid, (uint32_t)jst_gettid());
    jst_tls_block = NULL;
    jst_clock_begin();
    be_young();
    atomic_store(&moved, 0);
    over = false;
    atomic_store(&jst_state, JST_LAZY);
}

static void mark_process(void)
{
    jst_wipe.mask = ~(uintptr_t)0;
}

/* A forked child may have computed for long before its first call. */
static void begin_earlier(void)
{
    if (jst_clock_ns(CLOCK_PROCESS_CPUTIME_ID) < BUSY_NS)
        return;
    uint64_t up = jst_clock_ns(CLOCK_BOOTTIME), start = jst_process_start() * 10000000u;
    if (start != 0 && start < up)
        jst_now_life.start_ns -= up - start;
}

/* First call in a forked child: the parent's counters and its mapped profile are not ours. */
static void begin_child(void)
{
    uint32_t used = atomic_load(&jst_blocks);
    if (atomic_load(&jst_state) == JST_LAZY && used <= JST_BLOCKS) {
        jst_zero(jst_a.blocks, used * sizeof(jst_block));
        jst_zero(jst_a.files, jst_files_used() * sizeof(jst_file));
    } else {
        jst_mmap_fixed(&jst_a, sizeof jst_a, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    }
    jst_threads = false;
    jst_files_begin();
    jst_access_child(jst_fds_seen());
    jst_mounts_to_head(); /* descriptors are inherited, and with them what is known of mounts */
    jst_block *more = atomic_load(&jst_more);
    if (more) /* stays mapped: a frame below us may still hold a pointer into it */
        jst_mmap_fixed(more, JST_MORE_BLOCKS * sizeof(jst_block),
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    jst_now_life.part = 0;
    jst_segments_child();
    jst_ccl_child();
    jst_nccl_child();
    jst_together_child();
    jst_peers_child();
    jst_modules_child();
    jst_short_begin();
    jst_inject_child();
    begin_lazily();
    begin_earlier();
}

/* Also where an old kernel lacks MADV_WIPEONFORK: then libc notifies us of a fork. */
static void after_fork(void)
{
    jst_wipe.mask = 0;
}

/* The function behind pthread_atfork in glibc. Weak: another C library lacks it (musl), and its
 * loader would end the program. */
__attribute__((weak)) int __register_atfork(void (*prepare)(void), void (*parent)(void),
                                            void (*child)(void), void *library);
__attribute__((visibility("hidden"))) extern void *__dso_handle;

/* Streams have another layout in other C libraries: there nothing is counted. */
static bool is_glibc(void)
{
    return __register_atfork != NULL;
}

/* Valgrind preloads a library of its own, always of this name. */
static bool is_in_valgrind(void)
{
    const char *preloads = jst_env("LD_PRELOAD"), *sign = "vgpreload_";
    for (; preloads && *preloads; preloads++) {
        size_t i = 0;
        while (sign[i] && preloads[i] == sign[i])
            i++;
        if (!sign[i])
            return true;
    }
    return false;
}

static void begin_image(void)
{
    if (!is_glibc()) {
        atomic_store(&jst_state, JST_OFF);
        return;
    }
#ifndef __x86_64__
    jst_kernel_page = getauxval(AT_PAGESZ); /* the heartbeat may not call libc */
#endif
    if (jst_sys3(SYS_madvise, &jst_wipe, sizeof jst_wipe, MADV_WIPEONFORK) < 0)
        __register_atfork(NULL, NULL, after_fork, &__dso_handle);
    jst_inject_begin();
    jst_next_begin();
    if (!jst_configure()) {
        atomic_store(&jst_state, JST_OFF);
        return;
    }
    jst_now_life.in_valgrind = is_in_valgrind();
    jst_files_begin();
    jst_os_begin();
    begin_lazily();
}

extern char **environ;

void jst_come_up(void)
{
    uint64_t signals;
    uint32_t state = atomic_load(&jst_state);
    if (state == JST_OFF || (state == JST_NEW && !environ)) /* libc has not started itself */
        return;
    if (!jst_may_syscall()) { /* the child of a sandboxed process: its parent's counters are mapped */
        atomic_store(&jst_state, JST_OFF);
        return;
    }
    jst_block_signals(&signals);
    bool child = state != JST_NEW;
    if (!child || !jst_wipe.mask) {
        jst_now_life.pid = jst_getpid();
        if (child)
            begin_child();
        else
            begin_image();
        if (atomic_load(&jst_state) != JST_OFF)
            mark_process();
        if (!child && jst_cfg.is_first) /* so that what it starts is watched */
            jst_start();
    }
    jst_restore_signals(&signals);
}

/* The clock is read once early, and again when, by the tick rate so far, the process should be old
 * enough. Calls in between only take a time stamp. */
static bool old_enough(void)
{
    uint64_t ticks = jst_ticks() - jst_now_life.start_ticks;
    uint64_t ns = jst_clock_ns(CLOCK_REALTIME) - jst_now_life.start_ns;
    if (ns > JST_START_NS)
        return true;
    if (ns)
        atomic_store_explicit(&jst_start_due,
                              jst_now_life.start_ticks +
                                  (uint64_t)((double)ticks * JST_START_NS / (double)ns),
                              memory_order_relaxed);
    return false;
}

/* The first call of a thread, of a forked child, of the process. */
static JST_COLD jst_block *first_enter(void)
{
    uint32_t state = atomic_load_explicit(&jst_state, memory_order_relaxed);
    if (state == JST_OFF)
        return NULL;
    if (!jst_wipe.mask && !jst_tls_vfork)
        jst_come_up();
    state = atomic_load(&jst_state);
    if (!jst_wipe.mask || state == JST_OFF)
        return NULL;
    if (jst_tls_vfork && !tls_early) /* the child's thread is not its parent's, its TLS is */
        return NULL;
    if (!tls_early) /* also of threads that libc made itself, which no wrapper sees */
        tls_early = take_block();
    for (int i = 0; i < 100000 && atomic_load(&jst_state) == JST_STARTING; i++)
        jst_sys0(SYS_sched_yield);
    state = atomic_load(&jst_state);
    if (state == JST_RUNNING || state == JST_MEMORY)
        jst_tls_block = tls_early;
    return tls_early;
}

/* Every call comes here until the profile has started. Some take no time stamp, and would never be
 * found to be due: one in sixteen reads the time here. */
jst_block *jst_enter_slow(void)
{
    static uint8_t calls; /* NOTE: threads that come at once may lose one */
    jst_block *early = tls_early;
    if (JST_LIKELY(jst_is_lazy() && jst_wipe.mask && early && ++calls % 16))
        return early;
    if (jst_is_lazy() && early && jst_ticks() >= JST_PEEK(uint64_t, jst_start_due))
        jst_due();
    return first_enter();
}

/* Not jst_enter, which may start the profile: a jump is no call. */
void jst_call_left(void)
{
    jst_block *b = (jst_block *)((uintptr_t)tls_early & jst_wipe.mask);
    if (JST_UNLIKELY(b && b->mark))
        jst_end_mark(b, jst_ticks());
}

/* ---- the profile starts ---- */

static void start_now(void)
{
    int fd = -1;
    jst_clock_check();
    jst_clock_calibrate();
    if (jst_profile_create(&fd) < 0) {
        atomic_store(&jst_state, JST_MEMORY);
        return;
    }
    jst_slice_begin(fd);
    if (!jst_heartbeat_start(fd))
        jst_note(fd, jst_clock_ns(CLOCK_REALTIME),
                 "no thread could be made for the heartbeat: the whole run is one slice");
    jst_close(fd); /* the heartbeat has its own descriptor table, invisible to the program */
    atomic_store(&jst_state, JST_RUNNING);
}

void jst_start(void)
{
    uint32_t lazy = JST_LAZY;
    if (jst_tls_vfork || !jst_may_syscall())
        return;
    if (!jst_wipe.mask)
        jst_come_up();
    uint64_t signals;
    jst_block_signals(&signals);
    if (atomic_compare_exchange_strong(&jst_state, &lazy, JST_STARTING)) {
        /* Threads whose start no wrapper saw: they finish the calls that they are counting before
         * the file replaces the memory. */
        struct timespec moment = {0, 1000000};
        if (atomic_load(&jst_blocks) > 2)
            jst_sys2(SYS_nanosleep, &moment, NULL);
        atomic_store(&jst_start_due, UINT64_MAX);
        start_now();
    }
    jst_restore_signals(&signals);
}

JST_COLD void jst_due(void)
{
    if (jst_tls_vfork)
        return;
    if (over || !jst_is_lazy())
        atomic_store(&jst_start_due, UINT64_MAX);
    else if (old_enough())
        jst_start();
}

JST_SLOW void jst_moved(uint64_t bytes)
{
    uint64_t before = atomic_fetch_add_explicit(&moved, bytes, memory_order_relaxed);
    if (before + bytes >= JST_START_BYTES && !over)
        jst_start();
}

/* The old file is closed as it is and a new one replaces it; used where the heartbeat cannot follow
 * (unshare, setns). */
void jst_new_part(void)
{
    uint64_t signals;
    int fd = -1;
    jst_block_signals(&signals);
    jst_now_life.part++;
    bool held = jst_segments_hold();
    jst_segments_old_part();
    jst_a.head.end_reason = JST_END_CONTINUED;
    jst_a.head.end_ns = jst_clock_ns(CLOCK_REALTIME);
    if (jst_profile_create(&fd) == 0) {
        jst_segments_new_part();
        jst_files_begin();
        jst_peers_new_part();
        jst_slice_begin(fd);
        jst_heartbeat_start(fd);
        jst_close(fd);
    } else {
        jst_now_life.part--; /* the old part's header is used further, without slices */
        jst_not_ending();
    }
    if (held)
        jst_segments_let_go();
    jst_restore_signals(&signals);
}

/* ---- sandbox ---- */

/* A program that gave up privileges may have a filter that kills it for a system call which it did
 * not foresee. From here on jostle adds none to the program's threads, and has no thread. */
void jst_sandboxed(void)
{
    jst_start();          /* afterwards a record of a short process could not be written */
    jst_segments_child(); /* they would read clocks */
    jst_heartbeat_stop();
    jst_mounts_remember();
    atomic_store(&jst_in_sandbox, 1);
}

/* ---- the end ---- */

void jst_ending(enum jst_end_reason reason)
{
    uint32_t state = atomic_load(&jst_state);
    if (jst_tls_vfork || state == JST_OFF || !jst_may_syscall())
        return;
    if (!jst_wipe.mask) {
        jst_come_up();
        state = atomic_load(&jst_state);
    }
    if (jst_getpid() != jst_now_life.pid) /* a child that borrows our memory, not by our vfork */
        return;
    /* A record of a short process has no time axis. */
    uint64_t now = jst_clock_ns(CLOCK_REALTIME);
    if (state == JST_LAZY && now - jst_now_life.start_ns > JST_START_NS) {
        /* its heartbeat may be late */
        jst_os_sample_short(&jst_a.blocks[0].cells[JST_CELL_OS_USER_NS]);
        jst_start();
        state = atomic_load(&jst_state);
    }
    if (state == JST_LAZY || state == JST_MEMORY) {
        over = reason != JST_END_EXEC;
        jst_short_record(reason, now);
    } else if (state == JST_RUNNING) {
        jst_heartbeat_sample();
        jst_a.head.end_reason = reason;
        jst_a.head.end_ns = jst_clock_ns(CLOCK_REALTIME);
        if (reason == JST_END_EXIT || reason == JST_END__EXIT)
            jst_digest();
    }
}

void jst_not_ending(void)
{
    if (jst_tls_vfork)
        return;
    if (atomic_load(&jst_state) == JST_RUNNING) {
        jst_a.head.end_ns = 0;
        jst_a.head.end_reason = JST_END_NONE;
    } else if (jst_short_recorded()) {
        be_young(); /* what follows is a record of its own */
    }
}

/* Before anything has happened the wiped page is not read: a page that is read first costs two
 * faults. */
__attribute__((constructor)) static void constructor(void)
{
    if (atomic_load(&jst_state) == JST_NEW || !jst_wipe.mask)
        jst_come_up();
}

__attribute__((destructor)) static void destructor(void)
{
    jst_ending(JST_END_EXIT);
}
