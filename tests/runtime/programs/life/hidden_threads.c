/*
 * Threads that no pthread_create of the program made: libc's own for a timer, C11 threads, and a
 * bare clone. They write concurrently with the main thread from the first millisecond on.
 */
#include "../truth.h"

#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

static int fd;
static _Atomic int begun, ticks;

static void write_some(int n)
{
    while (n-- > 0) {
        MUST(pwrite(fd, "0123456789", 10, 0) == 10);
        DID_WRITE(10);
    }
}

static void on_timer(union sigval value)
{
    (void)value;
    begun++;
    write_some(500);
    ticks++;
}

static int in_c11(void *argument)
{
    (void)argument;
    write_some(1000);
    return 0;
}

int main(int argc, char **argv)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    struct itimerspec often = {{0, 1000000}, {0, 1}};
    timer_t timer;
    thrd_t thread;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    MUST(timer_settime(timer, 0, &often, NULL) == 0);
    while (ticks < 20) {
        write_some(100);
    }
    MUST(timer_delete(timer) == 0);
    MUST(thrd_create(&thread, in_c11, NULL) == thrd_success);
    MUST(thrd_join(thread, NULL) == thrd_success);
    for (int seen = -1; seen != begun || ticks != begun;) { /* the last of the timer's threads */
        seen = begun;
        usleep(100000);
    }
    return 0;
}
