/* heartbeat.c: the thread that wakes at slice boundaries.
 *
 * RATIONALE: a thread made with pthread_create can be seen by the program: libc leaves its
 * single-thread fast paths, a main thread that calls pthread_exit waits for it, set*id signal it.
 * So it is a bare clone that shares only memory: its own descriptor table (a program
 * that closes every descriptor does not touch it) and its own root and working directory (chroot
 * neither). It uses no thread-local storage and no libc. All signals are blocked: it was cloned so.
 * Sanitizers need to know every thread; with them it is a pthread.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#ifdef JST_SANITIZE
#include <dlfcn.h>
#include <pthread.h>
#endif

#include "block.h"
#include "ccl/ccl.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "heartbeat.h"
#include "modules/core_probe.h"
#include "modules/modules.h"
#include "modules/os.h"
#include "modules/perf.h"
#include "modules/probes/memory_probe.h"
#include "mpi/all_in_mpi.h"
#include "mpi/peers.h"
#include "mpi/segment_ring.h"
#include "process/children.h"
#include "profile/area.h"
#include "profile/changed_root.h"
#include "profile/profile_layout.h"
#include "profile/records/record.h"
#include "profile/records/slice.h"
#include "profile/spool.h"
#include "release_pages.h"
#include "sys.h"

enum request { GO_ON, STOP, SAMPLE, ALSO, DRAIN, ENDING };

#define STACK_BYTES 65536
#define LOOK_NS 1000000000ull
#define STOP_NS                                                                                    \
    10000000000ull /* a call of the program that needs one thread fails if it is not gone */

static _Atomic uint32_t alive_tid; /* the kernel zeroes and wakes it when the thread is gone */
static _Atomic uint32_t request;   /* the word on which the heartbeat sleeps */
static _Atomic uint32_t answered;
static _Atomic uint32_t asking; /* one request at a time */
static _Atomic uint32_t pid_of_heartbeat;
typedef struct call {
    long number, a, b, c;
} call;
static call also;
static int profile_fd;

#ifndef JST_SANITIZE
JST_LARGE static uint8_t stack[STACK_BYTES] __attribute__((aligned(JST_PAGE)));
#endif

static void answer(uint32_t what)
{
    atomic_compare_exchange_strong(&request, &what, GO_ON); /* a later request stays */
    atomic_store(&answered, 1);
    jst_futex(&answered, FUTEX_WAKE, 1, NULL, 0);
}

/* False: stop. */
static bool serve(uint32_t what)
{
    if (what == SAMPLE) {
        jst_modules_sample(0, JST_AT_END);
        jst_modules_note_missing(profile_fd, jst_clock_ns(CLOCK_REALTIME), true);
        jst_root_note(profile_fd, jst_clock_ns(CLOCK_REALTIME));
        jst_nccl_note(profile_fd, jst_clock_ns(CLOCK_REALTIME), true);
        jst_slice_finish(profile_fd);
    }
    if (what == DRAIN) { /* no thread waits for an answer */
        jst_segments_drain(profile_fd);
        jst_communicators_drain(profile_fd);
        atomic_compare_exchange_strong(&request, &what, GO_ON);
        return true;
    }
    if (what == ALSO)
        jst_sys3(also.number, also.a, also.b, also.c);
    if (what == STOP) { /* accepted: from here on it cannot be withdrawn */
        if (!atomic_compare_exchange_strong(&request, &what, ENDING))
            return true;
        jst_modules_sample(0, JST_AT_END);
        return false;
    }
    if (what != GO_ON)
        answer(what);
    return true;
}

/* The last thread of the program has ended without taking the process along (raw exit system
 * calls): only a dead leader and the heartbeat are left. */
static bool is_alone(void)
{
    struct stat st;
    return jst_os_leader_gone() && jst_fstatat(AT_FDCWD, "/proc/self/task", &st, 0) == 0 &&
           st.st_nlink <= 4;
}

/* A profile that was removed is written again, so that at most this slice is lost. */
static void restore_profile(uint64_t now)
{
    struct stat st;
    if (jst_fstat(profile_fd, &st) == 0 && st.st_nlink == 0 && jst_profile_again(&profile_fd) == 0)
        jst_note(profile_fd, now, "the profile was removed from the spool; it was written again");
}

/* The next check, or before it one of the probes, or the time to open the counters. These wakes are
 * not in the table of modules: probes run before the counters are read, whatever the order of
 * samples.
 *
 * RATIONALE: the kernel gets a length, not an instant of CLOCK_REALTIME: if that clock is set back by
 * an hour meanwhile, the sleep would last an hour longer, and one slice would hold all its counts. */
static void sleep_until(uint64_t now, uint64_t look, uint64_t core_probe, uint64_t memory)
{
    uint64_t due = jst_perf_due(), ns = due != 0 && due < look ? due : look;
    ns = core_probe != 0 && core_probe < ns ? core_probe : ns;
    ns = memory != 0 && memory < ns ? memory : ns;
    ns = ns > now ? ns - now : 0;
    struct timespec left = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    jst_futex(&request, FUTEX_WAIT, GO_ON, &left, 0);
}

/* Samples between slice boundaries, at least once a second: after a kill, the last sample is
 * what is known. */
static void look(uint64_t now)
{
    jst_modules_sample(now, JST_AT_LOOK);
    jst_a.head.heartbeat_ns = now;
    JST_STORE(jst_a.head.tick_now, jst_ticks());
}

static void beat(void)
{
    uint64_t looked = jst_clock_ns(CLOCK_REALTIME);
    uint64_t boundaries = 0;
    jst_sys2(SYS_prctl, PR_SET_NAME, JST_HEARTBEAT_NAME);
    jst_children_begin();
    jst_modules_open(profile_fd);
    for (;;) {
        uint64_t now = jst_clock_ns(CLOCK_REALTIME);
        uint64_t next = (now / jst_cfg.slice_ns + 1) * jst_cfg.slice_ns;
        uint64_t core_probe = jst_core_probe_due(now, next);
        uint64_t memory = jst_memory_probe_due(now, next);
        sleep_until(now, looked + LOOK_NS < next ? looked + LOOK_NS : next, core_probe, memory);
        if (!serve(atomic_load(&request))) {
            jst_modules_close();
            return;
        }
        now = jst_clock_ns(CLOCK_REALTIME);
        jst_core_probe_run(&jst_a.blocks[0], core_probe, now, next);
        jst_memory_probe_run(&jst_a.blocks[0], memory, now, next);
        if (jst_perf_due() != 0 && now >= jst_perf_due())
            jst_perf_tick(&jst_a.blocks[0], now);
        jst_modules_note_missing(profile_fd, now, false);
        if (now < next && now + jst_cfg.slice_ns >= next) { /* a request, a probe, or a check */
            if (now - looked >= LOOK_NS)
                look(looked = now);
            continue;
        }
        looked = now;
        restore_profile(now);
        jst_nccl_note(profile_fd, now, false);
        jst_modules_sample(now, JST_AT_BOUNDARY);
        jst_slice_tick(profile_fd, now);
        jst_together_tick(now);
        if (is_alone())
            return;
        boundaries++;
        if ((boundaries & (boundaries - 1)) ==
            0) /* the first, and rarely: names bound late make it necessary again */
            jst_memory_let_go();
    }
}

#ifdef JST_SANITIZE

static void *body(void *unused)
{
    beat();
    jst_close(profile_fd);
    atomic_store(&alive_tid, 0);
    jst_futex(&alive_tid, FUTEX_WAKE, 1, NULL, 0);
    return unused;
}

static bool spawn(int fd)
{
    pthread_t thread;
    profile_fd = (int)jst_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
    if (profile_fd < 0)
        profile_fd = (int)jst_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
    atomic_store(&alive_tid, 1);
    /* Not the next definition after ours but the first in the process: that of the sanitizer,
     * which has to know all threads. */
    __typeof__(&pthread_create) create = dlsym(RTLD_DEFAULT, "pthread_create");
    if (create != NULL && create(&thread, NULL, body, NULL) == 0) {
        pthread_detach(thread);
        return true;
    }
    atomic_store(&alive_tid, 0);
    return false;
}

#else

/* Runs on its own stack with its parent's TLS register: nothing here or below may use it. */
__attribute__((noreturn, used)) static void body(void)
{
    int fd = profile_fd;
    /* Descriptors of the program must not stay open because of us: a pipe's reader waits for it. */
    if (fd > 0)
        jst_sys3(SYS_close_range, 0, fd - 1, 0);
    if (jst_sys3(SYS_close_range, fd + 1, ~0u, 0) < 0)
        for (int i = 0; i < 65536; i++) /* kernels before 5.9 */
            if (i != fd)
                jst_close(i);
    beat();
    for (;;)
        jst_sys1(SYS_exit, 0);
}

static bool spawn(int fd)
{
    const long flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                       CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
    profile_fd = fd;
    long tid;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = (long)&alive_tid;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "call *%[entry]\n\t"
                     "1:"
                     : "=a"(tid)
                     : "a"(SYS_clone), "D"(flags), "S"(stack + STACK_BYTES), "d"(&alive_tid),
                       "r"(r10), "r"(r8), [entry] "r"(body)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_clone;
    register long x0 __asm__("x0") = flags;
    register long x1 __asm__("x1") = (long)(stack + STACK_BYTES);
    register long x2 __asm__("x2") = (long)&alive_tid;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = (long)&alive_tid;
    __asm__ volatile("svc 0\n\t"
                     "cbnz x0, 1f\n\t"
                     "blr %[entry]\n\t"
                     "1:"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [entry] "r"(body)
                     : "x30", "memory");
    tid = x0;
#endif
    return tid > 0;
}

#endif

bool jst_heartbeat_runs(void)
{
    return atomic_load(&alive_tid) != 0 && atomic_load(&pid_of_heartbeat) == (uint32_t)jst_getpid();
}

bool jst_heartbeat_start(int fd)
{
    if (jst_now_life.in_valgrind || jst_heartbeat_runs())
        return false;
    atomic_store(&request, GO_ON);
    atomic_store(&asking, 0);
    atomic_store(&pid_of_heartbeat, (uint32_t)jst_getpid());
    return spawn(fd);
}

/* Sends a request to the heartbeat and waits for the answer: at most 1 s if patient, else at
 * most 50 ms. On an oversubscribed node the heartbeat may wait 50 ms for a core; but if a slow disk
 * blocks it, the program must not be blocked as well. Returns false if there is no answer. */
static bool ask(uint32_t what, bool patient, const call *args)
{
    uint32_t nobody = 0;
    for (int i = 0; !atomic_compare_exchange_strong(&asking, &nobody, 1); i++, nobody = 0) {
        struct timespec wait = {0, 1000000};
        if (!patient || i == 1000 || !jst_heartbeat_runs())
            return false;
        jst_sys2(SYS_nanosleep, &wait, NULL);
    }
    if (!jst_heartbeat_runs()) {
        atomic_store(&asking, 0);
        return false;
    }
    if (args)
        also = *args;
    atomic_store(&answered, 0);
    atomic_store(&request, what);
    jst_futex(&request, FUTEX_WAKE, 1, NULL, 0);
    bool done = false;
    for (int i = 0; i < (patient ? 200 : 10) && !done && jst_heartbeat_runs(); i++) {
        struct timespec wait = {0, 5000000};
        jst_futex(&answered, FUTEX_WAIT, 0, &wait, 0);
        done = atomic_load(&answered) != 0;
    }
    done = atomic_load(&answered) != 0; /* it may have answered, and ended, after the last look */
    atomic_store(&asking, 0);
    return done;
}

void jst_heartbeat_drain(void)
{
    uint32_t nothing = GO_ON;
    if (atomic_load(&alive_tid) && atomic_compare_exchange_strong(&request, &nothing, DRAIN))
        jst_futex(&request, FUTEX_WAKE, 1, NULL, 0);
}

void jst_heartbeat_sample(void)
{
    ask(SAMPLE, atomic_load(&jst_more) != NULL, NULL); /* blocks in memory must be written */
}

void jst_heartbeat_also(long number, long a, long b, long c)
{
    const call args = {number, a, b, c};
    ask(ALSO, true, &args);
}

/* The kernel clears alive_tid before the thread has left the thread group, and callers need it gone. */
static bool is_gone(uint32_t tid)
{
    return !atomic_load(&alive_tid) && jst_sys3(SYS_tgkill, jst_getpid(), tid, 0) < 0;
}

/* RATIONALE: on an oversubscribed node it may accept the request, or end, at any time, also when no
 * thread waits any longer. The caller must know whether it continues: else no profile would
 * continue where it does not. So either the request is withdrawn, or the heartbeat counts as
 * gone. */
bool jst_heartbeat_stop(void)
{
    uint32_t tid = atomic_load(&alive_tid), nothing = GO_ON, sent = STOP;
    if (!jst_heartbeat_runs())
        return false;
    uint64_t until = jst_clock_ns(CLOCK_MONOTONIC) + STOP_NS;
    struct timespec wait = {0, 100000};
    while (!is_gone(tid) && jst_clock_ns(CLOCK_MONOTONIC) < until) {
        /* Earlier requests are served first. */
        if (atomic_compare_exchange_strong(&request, &nothing, STOP))
            jst_futex(&request, FUTEX_WAKE, 1, NULL, 0);
        nothing = GO_ON;
        jst_sys2(SYS_nanosleep, &wait, NULL);
    }
    return is_gone(tid) ||
           (!atomic_compare_exchange_strong(&request, &sent, GO_ON) && sent == ENDING);
}
