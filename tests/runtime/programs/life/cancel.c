/* Blocking calls stay cancellation points, and others do not become one; longjmp leaves a call. */
#include "../truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static int ends[2], fd;
static int cleaned;
static sigjmp_buf jump;

static void cleanup(void *argument)
{
    (void)argument;
    cleaned++;
}

static void *blocked(void *argument)
{
    char c;
    pthread_cleanup_push(cleanup, NULL);
    read(ends[0], &c, 1); /* never comes back */
    pthread_cleanup_pop(0);
    return argument;
}

static void *pending(void *argument)
{
    struct timespec t = {0, 0};
    pthread_cleanup_push(cleanup, NULL);
    /* Cancellation is pending here: calls that are no cancellation points go on. */
    pthread_cancel(pthread_self());
    MUST(lseek(fd, 0, SEEK_SET) == 0);
    DID(posix_seek_ops, 1);
    MUST(dup2(fd, 50) == 50);
    *(int *)argument = 1;
    MUST(pwrite(fd, "x", 1, 0) == 1); /* a cancellation point: not reached behind */
    *(int *)argument = 2;
    nanosleep(&t, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *forever(void *argument)
{
    (void)argument;
    for (;;) {
        char c[10];
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        MUST(pread(fd, c, 10, 0) == 10);
        DID_READ(10);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        pthread_testcancel();
    }
}

static void on_alarm(int sig)
{
    (void)sig;
    siglongjmp(jump, 1);
}

static void cancelled(void *(*run)(void *), void *argument, int delay)
{
    pthread_t thread;
    void *result;
    MUST(pthread_create(&thread, NULL, run, argument) == 0);
    usleep((useconds_t)delay);
    pthread_cancel(thread);
    MUST(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

static void jumping(void)
{
    volatile int jumps = 0;
    struct itimerval soon = {{0, 0}, {0, 1000}};
    char c = 0;
    int full[2];
    MUST(pipe(full) == 0 && fcntl(full[1], F_SETFL, O_NONBLOCK) == 0);
    while (write(full[1], &c, 1) == 1) {
    }
    MUST(fcntl(full[1], F_SETFL, 0) == 0);
    signal(SIGALRM, on_alarm);
    while (jumps < 50) {
        if (sigsetjmp(jump, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            if (jumps % 2 == 0) {
                read(ends[0], &c, 1); /* the handler jumps out of it */
            } else {
                write(full[1], &c, 1); /* and out of this */
            }
            MUST(0);
        }
        jumps++;
        MUST(pwrite(fd, "0123456789", 10, 0) == 10);
        DID_WRITE(10);
    }
}

int main(int argc, char **argv)
{
    int reached = 0;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    MUST(pipe(ends) == 0);
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    MUST(pwrite(fd, "0123456789", 10, 0) == 10);
    DID_WRITE(10);
    for (int i = 0; i < 20; i++) {
        cancelled(blocked, NULL, 1000);
        cancelled(pending, &reached, 0);
        MUST(reached == 1);
        cancelled(forever, NULL, 500);
    }
    MUST(cleaned == 40);
    jumping();
    return 0;
}
