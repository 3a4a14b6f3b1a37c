/* recorder.h: the common part of recorders, whichever vendor's library they use (recorder.c). */
#ifndef JST_RECORDER_H
#define JST_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/jst_gpu.h"

/* The functions of a recorder's library. All are called under one lock. */
struct recorder_library {
    /** Reads the library's clock, ns. Not 0: it failed. */
    int (*stamp)(uint64_t *ns);
    /** Requests records. Returns the name of the function that failed, with its result; NULL: none
     * did. */
    const char *(*ask)(int *status);
    /** Makes the library deliver its records; at the end also incomplete ones. */
    void (*flush)(bool at_end);
    /** Makes the library deliver its records, and ends our use of it. */
    void (*let_go)(void);
};

/* What libjostle.so offers; NULL before recorder_join. */
extern const jst_gpu_host *recorder_host;

/** Joins libjostle.so, once. False: nothing is to be recorded in this process. */
bool recorder_join(const jst_gpu_recorder *recorder);
/** Requests records, and begins to deliver them. False: something failed, which is noted. */
bool recorder_begin(const struct recorder_library *library);
/** Nothing is recorded, and the profile has the reason: "TEXT: what this process does with a GPU is
 * not counted". */
void recorder_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Delivers all records, and ends the use of the library for good, with this note. */
void recorder_yield(const char *note);
/** The process, or the library, ends: delivers all records, and calls the library no more. */
void recorder_end(void);
/** Whether kernels are to be recorded one by one (JOSTLE_GPU=kernels). */
bool recorder_wants_kernels(void);

/* The following functions are for records; times are in the library's clock. */

/** One transfer. What began at 0, or ends before it begins, is counted as of now. */
void recorder_transfer(unsigned device, unsigned kind, uint64_t bytes, uint64_t start,
                       uint64_t end);
/** A kernel. */
void recorder_kernel(unsigned device, uint64_t start, uint64_t end);
/** The library dropped records, of whichever GPU. */
void recorder_lost(uint64_t n, const char *note);

#endif
