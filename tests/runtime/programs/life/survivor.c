/*
 * Does something drastic (second argument) to its own process between two spells of counted work,
 * each longer than a slice, so that the heartbeat runs before and after it.
 */
#include "../truth.h"

#include <dirent.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static int fd;

static void work(void)
{
    static char buffer[8192];
    for (int i = 0; i < 100; i++) {
        MUST(pwrite(fd, buffer, sizeof buffer, 0) == sizeof buffer);
        DID_WRITE((long long)sizeof buffer);
        syscall(SYS_nanosleep, &(struct timespec){0, 2500000}, NULL);
    }
}

static void quick_work(void)
{
    for (int i = 0; i < 1000; i++) {
        MUST(write(fd, "0123456789", 10) == 10);
        DID_WRITE(10);
    }
}

static void *in_thread(void *argument)
{
    work();
    return argument;
}

static void close_others(void)
{
    for (int i = 0; i < 1024; i++) {
        if (i != fd) {
            close(i);
        }
    }
}

static void replace_others(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 1024; i++) {
        if (i != fd && i != null) {
            MUST(dup2(null, i) == i);
        }
    }
}

static void huge(void)
{
    struct rlimit limit = {200000, 200000};
    int number;
    setrlimit(RLIMIT_NOFILE, &limit); /* the machine may forbid it: then the highest it allows */
    MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    MUST(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    number = limit.rlim_max > 100000 ? 100000 : (int)limit.rlim_max - 1;
    MUST(dup2(fd, number) == number);
    MUST(write(number, "123", 3) == 3);
    DID_WRITE(3);
    close(number);
}

static void become_daemon(void)
{
    MUST(daemon(1, 0) == 0);
    truth_begin(); /* a child of its own, that has done nothing yet */
}

static void filter_out(int number)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_nanosleep, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (number == 0) {
        MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    } else {
        MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0);
    }
}

/* A slice that begins after this was cut by a heartbeat that survived. */
static void note_moment(void)
{
    struct timespec t;
    char text[32];
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(text, sizeof text, "%lld", t.tv_sec * 1000000000LL + t.tv_nsec);
    truth_note("moment", text);
}

static void set_ids(const char *what)
{
    MUST(setgroups(0, NULL) == 0);
    if (strcmp(what, "setuid") == 0) {
        MUST(setgid(65534) == 0 && setuid(65534) == 0);
    } else if (strcmp(what, "seteuid") == 0) {
        MUST(seteuid(65534) == 0);
        work();
        MUST(seteuid(0) == 0 && geteuid() == 0);
    } else {
        MUST(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    }
    /* No thread of the process may keep the rights that were given up. */
    if (getuid() != 0) {
        char path[300], line[256];
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *e; (e = readdir(tasks)) != NULL;) {
            FILE *f;
            snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
            if (e->d_name[0] == '.' || (f = fopen(path, "r")) == NULL) {
                continue;
            }
            while (fgets(line, sizeof line, f) != NULL) {
                int real, effective, saved;
                if (sscanf(line, "Uid: %d %d %d", &real, &effective, &saved) == 3) {
                    MUST(real == 65534 && effective == 65534 && saved == 65534);
                }
            }
            fclose(f);
        }
        closedir(tasks);
    }
}

static void drastic(const char *what)
{
    sigset_t all;
    int namespace;
#define IS(name) (strcmp(what, name) == 0)
    if (IS("close-all")) {
        close_others();
    } else if (IS("close-range")) {
        MUST(fd == 100);
        close_range(0, 99, 0);
        close_range(101, ~0U, 0);
    } else if (IS("closefrom")) {
        closefrom(101);
    } else if (IS("replace-all")) {
        replace_others();
    } else if (IS("huge")) {
        huge();
    } else if (IS("daemon")) {
        become_daemon();
    } else if (IS("chroot")) {
        MUST(chroot(".") == 0 && chdir("/") == 0);
    } else if (IS("filter")) {
        filter_out(0);
    } else if (IS("filter-raw")) {
        filter_out(1);
    } else if (IS("no-new-privileges")) {
        MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    } else if (IS("no-tsc")) {
#if defined(__x86_64__)
        MUST(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
#endif
    } else if (IS("strict")) {
        MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
        quick_work();
        syscall(SYS_exit, 0);
    } else if (strncmp(what, "set", 3) == 0 && !IS("setns")) {
        set_ids(what);
    } else if (IS("unshare-user")) {
        if (unshare(CLONE_NEWUSER) != 0) {
            MUST(errno == ENOSPC || errno == EPERM);
            truth_note("skip", "user namespaces are forbidden here");
        }
    } else if (IS("unshare-files")) {
        MUST(unshare(CLONE_FILES | CLONE_FS) == 0);
    } else if (IS("setns")) {
        namespace = open("/proc/self/ns/uts", O_RDONLY);
        MUST(unshare(CLONE_NEWUTS) == 0 && setns(namespace, CLONE_NEWUTS) == 0);
    } else if (IS("masked")) {
        sigfillset(&all);
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &(uint64_t){~0UL}, NULL, 8);
        work();
        MUST(geteuid() != 0 || setuid(0) == 0);
    } else if (IS("no-proc")) {
        MUST(unshare(CLONE_NEWNS) == 0);
        MUST(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
        MUST(umount2("/proc", MNT_DETACH) == 0);
    } else if (IS("not-dumpable")) {
        MUST(prctl(PR_SET_DUMPABLE, 0) == 0);
    } else if (IS("main-thread-exits")) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_exit(NULL);
    } else if (IS("file-limit")) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192}); /* just what the work needs */
    } else {
        MUST(IS("nothing"));
    }
}

int main(int argc, char **argv)
{
    MUST(argc >= 3 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0666);
    MUST(dup2(fd, 100) == 100);
    close(fd);
    fd = 100;
    work();
    note_moment();
    drastic(argv[2]);
    work();
    return 0;
}
