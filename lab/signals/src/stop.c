/* stop.c: handlers of signals, which only record which one came. */
#include "stop.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "signal.h"

volatile sig_atomic_t jst_stop_signal;
static volatile int64_t first_ns; /* one store of an aligned word: whole also in a handler */
static volatile int64_t ending_ns;

static void on_signal(int number)
{
    int64_t now = jst_now();

    if (number != SIGUSR1 && !ending_ns)
        ending_ns = now;
    if (!jst_stop_signal) {
        jst_stop_signal = number;
        first_ns = now;
    } else if (number == SIGINT && now - first_ns > JST_SECOND) {
        /* Asked twice, as by Ctrl-C pressed again: a call hangs. The janitor cleans up. */
        syscall(SYS_exit_group, JST_EXIT_SIGINT);
    }
}

void jst_stop_install(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    /* SA_RESTART: a call of the load is finished, not interrupted, and the stop comes after it. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigemptyset(&action.sa_mask);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        sigaddset(&action.sa_mask, stops[i]);
        sigaddset(&set, stops[i]);
        sigaction(stops[i], &action, NULL);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* then a write fails with EFBIG, which we can explain */
}

int64_t jst_ending_since(void)
{
    return ending_ns;
}
