/* digest.c: JOSTLE_DIGEST=stderr: when rank 0 of an MPI job ends, `jostle digest` reports on the
 * job.
 *
 * The process is about to end, perhaps in a signal handler: no libc, no allocation, no lock. The
 * child is made as vfork makes it, so that a program of any size can afford it; it gets this
 * process's standard error as its output and nothing of jostle's or other preloads. It has 15 s.
 */
#include <signal.h>
#include <sys/wait.h>

#include "common.h"
#include "config.h"
#include "core.h"
#include "digest.h"
#include "profile/area.h"
#include "profile/profile_layout.h"
#include "sys.h"
#include "text.h"

#define PATIENCE_NS (15 * 1000000000ull)
#define VARIABLES 4096
#define CLONE_LIKE_VFORK (0x100 /* CLONE_VM */ | 0x4000 /* CLONE_VFORK */ | SIGCHLD)

enum name { COMMAND, PATH, NAMES };

static const char names[] = "JOSTLE_COMMAND\0"
                            "PATH\0";

/* Static, for a handler's stack may be small. */
JST_LARGE static struct {
    char program[512];
    const char *arguments[8];
    char *environment[VARIABLES];
    uint64_t signals;
} child;

static bool may_run(const char *path)
{
    struct stat st;
    return jst_fstatat(AT_FDCWD, path, &st, 0) == 0 && S_ISREG(st.st_mode) &&
           jst_sys3(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0;
}

/* A command with a slash is a path; others are searched as by a shell, but never in the working
 * folder. */
static bool find_program(const char *command, const char *path)
{
    const char *end = child.program + sizeof child.program;
    if (jst_base_name(command) != command) {
        jst_put_text(child.program, end, command);
        return may_run(child.program);
    }
    while (path && *path) {
        char *p = child.program;
        while (*path && *path != ':' && p + 1 < end)
            *p++ = *path++;
        *p = 0;
        while (*path && *path++ != ':')
            ;
        jst_put_text(jst_put_text(p, end, "/"), end, command);
        if (child.program[0] == '/' && may_run(child.program))
            return true;
    }
    return false;
}

static bool is_of(const char *entry, const char *name)
{
    while (*name && *entry == *name)
        entry++, name++;
    return !*name && *entry == '=';
}

static void make_environment(void)
{
    extern char **environ;
    static char off[] = "JOSTLE=off";
    unsigned n = 0;
    child.environment[n++] = off;
    for (char **e = environ; e && *e && n + 1 < VARIABLES; e++)
        if (!is_of(*e, "LD_PRELOAD") && !is_of(*e, "JOSTLE_DIGEST") && !is_of(*e, "JOSTLE"))
            child.environment[n++] = *e;
    child.environment[n] = NULL;
}

static void make_arguments(void)
{
    unsigned n = 0;
    child.arguments[n++] = jst_base_name(child.program);
    child.arguments[n++] = "digest";
    child.arguments[n++] = "--spool";
    child.arguments[n++] = jst_cfg.spool;
    child.arguments[n++] = "--wait";
    child.arguments[n++] = "5";
    child.arguments[n++] = jst_a.head.job;
    child.arguments[n] = NULL;
}

/* Runs in the parent's memory, on the parent's stack, while the parent is stopped. */
static __attribute__((noinline, noreturn)) void become_digest(void)
{
    int null = jst_openat(AT_FDCWD, "/dev/null", O_RDONLY, 0);
    if (null > 0) {
        jst_sys3(SYS_dup3, null, 0, 0);
        jst_close(null);
    }
    jst_sys3(SYS_dup3, 2, 1, 0);
    jst_restore_signals(&child.signals);
    jst_sys3(SYS_execve, child.program, child.arguments, child.environment);
    for (;;)
        jst_sys1(SYS_exit_group, 127);
}

static __attribute__((noinline)) long make_child(void)
{
    long pid = jst_sys6(SYS_clone, CLONE_LIKE_VFORK, 0, 0, 0, 0, 0);
    if (pid == 0)
        become_digest();
    return pid;
}

static void wait_for(long pid)
{
    struct timespec moment = {0, 20000000};
    uint64_t until = jst_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    while (jst_sys4(SYS_wait4, pid, NULL, WNOHANG, NULL) == 0) {
        if (jst_clock_ns(CLOCK_MONOTONIC) > until) {
            jst_sys2(SYS_kill, pid, SIGKILL);
            jst_sys4(SYS_wait4, pid, NULL, 0, NULL);
            jst_say("the digest of the job took too long:", jst_a.head.job,
                    "; ask for it with `jostle digest`");
            return;
        }
        jst_sys2(SYS_nanosleep, &moment, NULL);
    }
}

void jst_digest(void)
{
    static _Atomic bool shown;
    const jst_head *h = &jst_a.head;
    const char *values[NAMES];
    if (!jst_cfg.digest || !h->mpi_state || !h->world_size || h->world_rank || h->spawned ||
        !jst_may_syscall() || !jst_stderr_is_the_same() || atomic_exchange(&shown, true))
        return;
    jst_env_all(names, values, NAMES);
    if (!find_program(values[COMMAND] ? values[COMMAND] : "jostle", values[PATH])) {
        jst_say("JOSTLE_DIGEST: there is no jostle command on the PATH", NULL,
                "; put it there, or name it in JOSTLE_COMMAND");
        return;
    }
    make_environment();
    make_arguments();
    jst_block_signals(&child.signals); /* a handler must not run in the child */
    long pid = make_child();
    if (pid > 0)
        wait_for(pid);
    jst_restore_signals(&child.signals);
}
