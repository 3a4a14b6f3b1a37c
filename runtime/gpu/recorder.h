/* recorder.h: what every recorder does, whichever vendor's library it asks (recorder.c). */
#ifndef JST_RECORDER_H
#define JST_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/jst_gpu.h"

/* What a recorder knows of its library. All of it is called under one lock. */
struct recorder_library {
    /** The library's clock, ns. Not 0: it failed. */
    int (*stamp)(uint64_t *ns);
    /** Asks for records. The name of the function that failed, with what it returned; NULL: none did. */
    const char *(*ask)(int *status);
    /** Makes the library hand over what it has; at the end also what is incomplete. */
    void (*flush)(bool at_end);
    /** The library is to hand over what it has, and to forget us. */
    void (*let_go)(void);
};

/* What libjostle.so offers; NULL before recorder_join. */
extern const jst_gpu_host *recorder_host;

/** Joins libjostle.so, once. False: nothing is to be recorded in this process. */
bool recorder_join(const jst_gpu_recorder *recorder);
/** Asks for records, and begins to hand them over. False: something failed, which is noted. */
bool recorder_begin(const struct recorder_library *library);
/** Nothing is recorded, and the profile says why: "TEXT: what this process does with a GPU is not counted". */
void recorder_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Hands over what there is, and lets go of the library for good, with this note. */
void recorder_yield(const char *note);
/** The process, or the library, ends: hands over what there is, and calls the library no more. */
void recorder_end(void);
/** Whether kernels are to be recorded one by one (JOSTLE_GPU=kernels). */
bool recorder_wants_kernels(void);

/* What follows is for records, in the library's clock. */

/** One transfer. What began at 0, or ends before it begins, is counted as of now. */
void recorder_transfer(unsigned device, unsigned kind, uint64_t bytes, uint64_t start,
                       uint64_t end);
/** A kernel. */
void recorder_kernel(unsigned device, uint64_t start, uint64_t end);
/** The library dropped records, of whichever GPU. */
void recorder_lost(uint64_t n, const char *note);

#endif
