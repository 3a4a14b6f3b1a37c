/*
 * A signal handler that writes, against a main loop and a thread that write too: every update that
 * is more than one instruction loses counts, every lock hangs.
 */
#include "../truth.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static int fd;
static FILE *stream;
static _Atomic int fired;

static void on_alarm(int sig)
{
    int saved = errno;
    (void)sig;
    MUST(pwrite(fd, "handler", 7, 0) == 7);
    DID_WRITE(7);
    fired++;
    errno = saved;
}

static void *busy(void *unused_argument)
{
    char c[64] = {0};
    (void)unused_argument;
    for (int i = 0; i < 60000 || fired < 300; i++) {
        MUST(pwrite(fd, c, 3, 64) == 3);
        DID_WRITE(3);
        MUST(fputc('c', stream) == 'c');
        DID(stdio_write_ops, 1), DID(stdio_write_bytes, 1);
        MUST(pread(fd, c, 1, 0) == 1);
        DID_READ(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 100}, {0, 100}};
    pthread_t thread;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    stream = fopen("stream", "w");
    DID(stdio_open_ops, 1);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_create(&thread, NULL, busy, NULL);
    busy(NULL);
    pthread_join(thread, NULL);
    often = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    return 0;
}
