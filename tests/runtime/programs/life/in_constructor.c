/*
 * A library whose constructor waits for a thread that runs a whole test program (PROGRAM). Whoever
 * loads a library holds the loader's lock meanwhile, and none of that program's calls needs it.
 */
#define main program
#include PROGRAM
#undef main

#include <pthread.h>

struct arguments {
    int argc, status;
    char **argv;
};

static void *run(void *argument)
{
    struct arguments *a = argument;
    a->status = program(a->argc, a->argv);
    return NULL;
}

__attribute__((constructor)) static void wait_for_thread(int argc, char **argv)
{
    struct arguments a = {argc - 1, 0, argv + 1};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &a) != 0 || pthread_join(thread, NULL) != 0 ||
        a.status) {
        _exit(99);
    }
}
