/* beat.h: the sampler: slices at absolute boundaries (beat.c). */
#ifndef JST_BEAT_H
#define JST_BEAT_H

#include <stdbool.h>

typedef struct jst_sampling {
    int role;            /* enum jst_machine_role; -1: by the sources */
    const char *without; /* names of sources, separated by commas, or NULL */
    const char *only;    /* the same: the sources of a watcher; NULL: all */
    int parent;          /* process of a watcher, which lives as long */
} jst_sampling;

/** Runs until SIGTERM or SIGINT. The exit status. */
int jst_sample_machine(const jst_sampling *how);

#endif
