/* Ends in the way named by its second argument, after work of known size; nothing may be lost. */
#include "../truth.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int fd;

static void work(int n, size_t size)
{
    static char buffer[4096];
    while (n-- > 0) {
        MUST(pwrite(fd, buffer, size, 0) == (ssize_t)size);
        DID_WRITE((long long)size);
    }
}

static void *in_thread(void *argument)
{
    work(100, 100);
    if (argument != NULL) {
        syscall(SYS_exit, 0);
    }
    return NULL;
}

static void *exec_in_thread(void *argument)
{
    usleep(20000);
    execv(((char **)argument)[0], argument);
    return NULL;
}

static int in_child(void *argument)
{
    _exit(argument != NULL);
}

static void at_exit(void)
{
    work(1, 11);
}

static void end(const char *way, char **argv)
{
    struct rlimit second = {1, 1};
    pthread_t thread;
    char *again[] = {argv[0], argv[1], (char *)"return", argv[3], NULL};
#define WAY(name) (strcmp(way, name) == 0)
    if (WAY("exit")) {
        exit(0);
    } else if (WAY("_exit")) {
        _exit(0);
    } else if (WAY("_Exit")) {
        _Exit(0);
    } else if (WAY("quick_exit")) {
        quick_exit(0);
    } else if (WAY("exit_group")) {
        syscall(SYS_exit_group, 0);
    } else if (WAY("abort")) {
        abort();
    } else if (WAY("shared-child")) { /* a child in our memory ends; then we are killed */
        static char stack[65536] __attribute__((aligned(16)));
        pid_t pid = clone(in_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
        MUST(pid > 0 && waitpid(pid, NULL, 0) == pid);
        work(1, 1);
        raise(SIGKILL);
    } else if (WAY("no-new-privileges")) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        exit(0);
    } else if (WAY("exec")) {
        execv(argv[0], again);
    } else if (WAY("exec-fails")) { /* and the process goes on, twice */
        for (int i = 0; i < 2; i++) {
            MUST(execv("/nonexistent/program", again) == -1 && errno == ENOENT);
            work(7, 7);
        }
        exit(0);
    } else if (WAY("exec-in-thread")) {
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_create(&thread, NULL, exec_in_thread, again);
        pause();
    } else if (WAY("SIGKILL")) {
        raise(SIGKILL);
    } else if (WAY("SIGTERM")) {
        raise(SIGTERM);
    } else if (WAY("SIGSEGV")) {
        raise(SIGSEGV);
    } else if (WAY("time-limit")) {
        setrlimit(RLIMIT_CPU, &second);
        raise(SIGXCPU);
    } else if (WAY("thread-exit")) { /* the main thread leaves first */
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_detach(thread);
        pthread_exit(NULL);
    } else if (WAY("raw-exit")) {
        pthread_create(&thread, NULL, in_thread, NULL);
        syscall(SYS_exit, 0);
    } else if (WAY("raw-thread-exit")) {
        pthread_create(&thread, NULL, in_thread, argv);
        usleep(50000);
        work(1, 1);
        _exit(0);
    }
}

/* argv: directory, way, "small" or "large" */
int main(int argc, char **argv)
{
    MUST(argc == 4 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    if (strcmp(argv[3], "large") == 0) {
        work(100, 4096);
    }
    work(3, 5);
    if (strcmp(argv[2], "return") == 0) {
        atexit(at_exit);
        return 0;
    }
    end(argv[2], argv);
    return 98;
}
