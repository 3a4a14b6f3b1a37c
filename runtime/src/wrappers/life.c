/* life.c: wraps calls of which jostle has to know: ends of processes, exec, threads, credentials,
 * namespaces, sandboxes. Nothing is counted here. */
#include <dirent.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

#include "block.h"
#include "clock.h"
#include "common.h"
#include "core.h"
#include "files/file.h"
#include "files/mount.h"
#include "heartbeat.h"
#include "profile/changed_root.h"
#include "symbols/preload_gone.h"
#include "symbols/resolve.h"
#include "sys.h"

/* ---- ends ---- */

JST_EXPORT __attribute__((noreturn)) void _exit(int status)
{
    jst_ending(JST_END__EXIT);
    JST_REAL(_exit)(status);
    __builtin_unreachable();
}

JST_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
    jst_ending(JST_END__EXIT);
    JST_REAL(_Exit)(status);
    __builtin_unreachable();
}

JST_EXPORT __attribute__((noreturn)) void quick_exit(int status)
{
    jst_ending(JST_END__EXIT);
    JST_REAL(quick_exit)(status);
    __builtin_unreachable();
}

JST_EXPORT __attribute__((noreturn)) void abort(void)
{
    jst_ending(JST_END_ABORT);
    JST_REAL(abort)();
    __builtin_unreachable();
}

/* ---- vfork ----
 * The child borrows our memory and our stack, so no C function can enclose the call: its frame
 * would be gone when the parent returns. The return address is kept in a register, as libc does.
 * The flag shows the rest of jostle that descriptors are the child's now. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %rdi\n"
        "    mov jst_tls_vfork@gottpoff(%rip), %rsi\n"
        "    mov %fs:(%rsi), %r8d\n" /* 1 in a vfork child that makes one of its own */
        "    movl $1, %fs:(%rsi)\n"
        "    mov $58, %eax\n"
        "    syscall\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_offset %rip, -8\n"
        "    test %rax, %rax\n"
        "    jz 1f\n"
        "    mov %r8d, %fs:(%rsi)\n"
        "    cmp $-4095, %rax\n"
        "    jae 2f\n"
        "1:  ret\n"
        "2:  neg %eax\n"
        "    mov %eax, %edi\n"
        "    jmp jst_vfork_failed\n"
        "    .cfi_endproc\n"
        ".size vfork, .-vfork\n");

__attribute__((used, visibility("hidden"))) pid_t jst_vfork_failed(int error)
{
    errno = error;
    return -1;
}
#endif

/* ---- exec ---- */

static int exec_returned(int r)
{
    jst_not_ending();
    return r;
}

enum way { BY_PATH, BY_SEARCH, BY_DESCRIPTOR, AT_FOLDER };

/* The common end of all of them. */
struct exec {
    enum way way;
    int fd;
    const char *path;
    char *const *argv;
    int flags;
};

static int start_with(const struct exec *e, char *const envp[])
{
    switch (e->way) {
    case BY_SEARCH:
        return exec_returned(JST_REAL(execvpe)(e->path, e->argv, envp));
    case BY_DESCRIPTOR:
        return exec_returned(JST_REAL(fexecve)(e->fd, e->argv, envp));
    case AT_FOLDER:
        return exec_returned(JST_REAL(execveat)(e->fd, e->path, e->argv, envp, e->flags));
    case BY_PATH:
        break;
    }
    return exec_returned(JST_REAL(execve)(e->path, e->argv, envp));
}

/* The arrays are on the stack, since this may be a vfork child. */
static __attribute__((noinline)) int start_without(const struct exec *e, char *const envp[],
                                                   struct jst_preload_gone gone)
{
    char *changed[gone.variables + 1];
    char text[gone.bytes];
    jst_without_preload(gone, envp, changed, text);
    return start_with(e, changed);
}

static int run_image(const struct exec *e, char *const envp[])
{
    jst_ending(JST_END_EXEC);
    struct jst_preload_gone gone = jst_preload_gone(envp);
    return gone.bytes ? start_without(e, envp, gone) : start_with(e, envp);
}

static size_t count_arguments(va_list list)
{
    size_t n = 1;
    va_list ap;
    va_copy(ap, list);
    while (va_arg(ap, char *))
        n++;
    va_end(ap);
    return n;
}

static void take_arguments(char **argv, size_t n, const char *first, va_list list)
{
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= n; i++)
        argv[i] = va_arg(list, char *);
}

JST_EXPORT int execl(const char *path, const char *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    size_t n = count_arguments(ap);
    char *argv[n + 1]; /* on the stack, as in libc: this may be a vfork child */
    take_arguments(argv, n, arg, ap);
    va_end(ap);
    return run_image(&(struct exec){BY_PATH, -1, path, argv, 0}, environ);
}

JST_EXPORT int execlp(const char *file, const char *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    size_t n = count_arguments(ap);
    char *argv[n + 1];
    take_arguments(argv, n, arg, ap);
    va_end(ap);
    return run_image(&(struct exec){BY_SEARCH, -1, file, argv, 0}, environ);
}

JST_EXPORT int execle(const char *path, const char *arg, ...)
{
    va_list ap;
    va_start(ap, arg);
    size_t n = count_arguments(ap);
    char *argv[n + 1];
    take_arguments(argv, n, arg, ap);
    char **envp = va_arg(ap, char **);
    va_end(ap);
    return run_image(&(struct exec){BY_PATH, -1, path, argv, 0}, envp);
}

/* ---- threads: a process with threads gets its profile before the first one runs ---- */

JST_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                              void *arg)
{
    jst_start();
    JST_STORE(jst_threads, true);
    return JST_REAL(pthread_create)(thread, attr, start, arg);
}

JST_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
    jst_start();
    JST_STORE(jst_threads, true);
    return JST_REAL(thrd_create)(thread, start, arg);
}

/* ---- credentials ----
 * In the kernel they belong to a thread; libc changes those of all threads that it knows. The
 * heartbeat, which it does not know, must not keep more rights than the program. */

static int also(int r, long number, long a, long b, long c)
{
    int saved = errno;
    if (r == 0 && !jst_tls_vfork)
        jst_heartbeat_also(number, a, b, c);
    errno = saved;
    return r;
}

JST_EXPORT int initgroups(const char *user, gid_t group)
{
    gid_t groups[1024];
    int r = JST_REAL(initgroups)(user, group), saved = errno;
    int n = r == 0 ? (int)jst_sys2(SYS_getgroups, 1024, groups) : -1;
    if (n >= 0)
        also(0, SYS_setgroups, n, (long)groups, 0);
    errno = saved;
    return r;
}

/* ---- namespaces: some need a process of one thread, so the heartbeat ends before ---- */

static bool step_aside(bool needed)
{
    return needed && !jst_tls_vfork && jst_enter() && jst_heartbeat_stop();
}

static int step_back(int r, bool aside, bool leaving)
{
    int saved = errno;
    if (leaving)
        jst_root_may_have_changed(r);
    if (aside)
        jst_new_part();
    if (!jst_tls_vfork)
        jst_cwd_changed();
    errno = saved;
    return r;
}

JST_EXPORT int unshare(int flags)
{
    bool leaving = (flags & CLONE_NEWNS) && jst_root_may_change();
    bool aside = step_aside(flags & (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM));
    return step_back(JST_REAL(unshare)(flags), aside, leaving);
}

JST_EXPORT int setns(int fd, int type)
{
    bool leaving = (type == 0 || (type & CLONE_NEWNS)) && jst_root_may_change();
    bool aside = step_aside(type == 0 || (type & (CLONE_NEWUSER | CLONE_NEWTIME)));
    return step_back(JST_REAL(setns)(fd, type), aside, leaving);
}

JST_EXPORT int chroot(const char *path)
{
    bool leaving = jst_root_may_change();
    return step_back(JST_REAL(chroot)(path), false, leaving);
}

/* ---- sandboxes ---- */

/* Filters are installed after PR_SET_NO_NEW_PRIVS (libseccomp does it, too), so this is the last
 * moment at which jostle's own system calls are certainly allowed. */
JST_EXPORT int prctl(int option, ...)
{
    va_list ap;
    va_start(ap, option);
    unsigned long a[4];
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    if (!jst_tls_vfork && (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS))
        jst_sandboxed();
    /* Both make reading the time-stamp counter, also by way of libc's clocks, a fatal fault. */
    if ((option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT) ||
        (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV))
        jst_tick_source = JST_TICKS_NONE;
    return JST_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

#include "generated/life.inc"
