/* runner.h: sources at work, each in a thread of its own (runner.c). */
#ifndef JST_RUNNER_H
#define JST_RUNNER_H

#include <pthread.h>

#include "component.h"

typedef enum jst_runner_state {
    JST_IDLE,    /* its numbers are in the profile, or only where counting begins */
    JST_RUNNING, /* its thread runs: no other may read the sample */
    JST_DONE     /* there are numbers that are not in the profile */
} jst_runner_state;

typedef struct jst_runner {
    const jst_source *source;
    jst_sample sample;
    pthread_cond_t go;
    uint64_t looked_ns; /* CLOCK_MONOTONIC of the last try to open it */
    uint64_t asked_ns;  /* CLOCK_REALTIME of the sample in progress */
    /* For the thread that writes the profile. */
    uint64_t open_slice;    /* the first slice that is in no record */
    uint64_t bytes;         /* of its records in this file */
    uint64_t newest;        /* of its newest record */
    char why[160];          /* not open: why */
    char what[160];         /* what the newest sample could not read */
    uint32_t said;          /* hash of the last note */
    uint32_t notes;         /* in this file */
    jst_runner_state state; /* only under the lock of runner.c; it decides who owns the rest */
    bool open;
    bool counting; /* its numbers have a beginning */
    bool is_late;
} jst_runner;

#define JST_RUNNERS 32

extern jst_runner jst_runners[JST_RUNNERS];
extern unsigned jst_runner_count;

/** Is the word one of a list with commas? The list may be NULL. */
bool jst_list_has(const char *list, const char *word);
/** Makes the threads; `without`: names of sources to leave out, separated by commas, or NULL; `only`: of
 *  those to take, NULL: all. 0 or -errno. */
int jst_runners_begin(const char *without, const char *only);
/** All idle ones take a sample. */
void jst_runners_ask(uint64_t now_ns);
/** Waits until those whose samples were requested at now_ns are done, or for so long. */
void jst_runners_wait(uint64_t now_ns, uint64_t patience_ns);
/** Its state; while it is not JST_RUNNING all of it may be read and written. */
jst_runner_state jst_runner_state_of(jst_runner *r);
void jst_runner_is_idle(jst_runner *r);

#endif
