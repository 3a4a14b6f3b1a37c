/*
 * The very first wrapped calls of a program, and of each of its threads, come from a handler that
 * interrupts malloc, stdio and the loader.
 */
#include "../truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static volatile int fired;
static int zero;

static void on_profile(int sig)
{
    char c;
    int saved = errno;
    (void)sig;
    MUST(read(zero, &c, 0) == 0);
    DID_READ(0);
    fired++;
    errno = saved;
}

static void *allocate(void *argument)
{
    (void)argument;
    for (int i = 0; i < 200; i++) {
        free(malloc((size_t)(i * 37 % 5000)));
        raise(SIGPROF);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_profile, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}};
    pthread_t thread;
    MUST(argc == 2);
    truth_begin();
    zero = (int)syscall(SYS_openat, AT_FDCWD, argv[0], O_RDONLY);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 50; i++) {
        pthread_create(&thread, NULL, allocate, NULL);
        pthread_join(thread, NULL);
        dlsym(RTLD_DEFAULT, "no_such_symbol_anywhere");
    }
    return fired >= 50 * 200 ? 0 : 1;
}
