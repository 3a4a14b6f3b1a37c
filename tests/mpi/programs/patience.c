/*
 * A preload for tests that run more ranks than there are cores: MPICH's progress loop sleeps a
 * little when nothing comes, where it would otherwise spin its time slice to the end. Wraps no MPI.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static __thread int idle;
    struct timespec moment = {.tv_nsec = 20000};
    unsigned found;
    if (next == NULL) {
        /* By its library too: Python loads an MPI with all that it needs out of our sight. */
        void *found_next = dlsym(RTLD_NEXT, "ucp_worker_progress");
        void *ucp = found_next ? NULL : dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        next = (unsigned (*)(void *))(found_next ? found_next : dlsym(ucp, "ucp_worker_progress"));
        prctl(PR_SET_TIMERSLACK, 1000L);
    }
    found = next(worker);
    if (found != 0) {
        idle = 0;
    } else if (++idle > 50) {
        nanosleep(&moment, NULL);
    }
    return found;
}
