/* fork, _Fork and raw clone while other threads do I/O: no child hangs, no count is lost. */
#include "../truth.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static int fd;
static FILE *stream;
static volatile int stop;

static void write_once(void)
{
    MUST(pwrite(fd, "0123456789", 10, 0) == 10);
    DID_WRITE(10);
}

static void *busy(void *argument)
{
    (void)argument;
    while (!stop) {
        write_once();
        MUST(fputs("xyz", stream) >= 0);
        DID(stdio_write_ops, 1), DID(stdio_write_bytes, 3);
    }
    return NULL;
}

static void *write_thread(void *argument)
{
    write_once();
    return argument;
}

static void child(int way)
{
    pthread_t thread;
    truth_begin();
    for (int i = 0; i < 100; i++) {
        write_once();
    }
    if (way == 0) { /* after fork of a threaded program only fork() restores libc's own locks */
        pthread_create(&thread, NULL, write_thread, NULL);
        pthread_join(thread, NULL);
        fputs("fork child\n", stdout);
    }
    _exit(0);
}

static pid_t spawn(int way)
{
    switch (way) {
    case 0:
        return fork();
    case 1:
        return _Fork();
    default:
        return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    stream = fopen("/dev/null", "w");
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, busy, NULL);
    }
    for (int i = 0; i < 30; i++) {
        int status;
        pid_t pid = spawn(i % 3);
        if (pid == 0) {
            child(i % 3);
        }
        MUST(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
    }
    stop = 1;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
