/* modules.h: metrics that the heartbeat samples, one module each.
 *
 * A new module is one file in this folder, one row in the table of modules.c, which names the module's
 * functions, and their declarations below:
 *
 *   open     The heartbeat starts. Returns what is not available, to be noted in the profile, or NULL.
 *   sample   Brings the module's cells in block 0 up to date. It is called at the end of each slice and
 *            in long slices once a second as well: a module that samples once a slice returns unless the
 *            occasion is JST_AT_BOUNDARY.
 *   missing  Returns what has turned out to be missing since the last call, or NULL. Called at every
 *            wake; ending: the process is about to end, so MPI_Init, if not called yet, never will
 *            be.
 *   child    In a forked child, in the thread that makes its first call.
 *   close    The heartbeat stops, and another one may follow.
 *
 * A module that needs the heartbeat between slices also has a function `due`, which beat() of
 * heartbeat.c calls (jst_perf_due, jst_core_probe_due, jst_memory_probe_due).
 *
 * All except `child` run in the heartbeat: no libc, and no thread-local storage. None of this is on
 * the path of a wrapped call.
 */
#ifndef JST_MODULES_H
#define JST_MODULES_H

#include "block.h"
#include "common.h"

enum jst_occasion {
    JST_AT_LOOK,     /* once a second within a long slice */
    JST_AT_BOUNDARY, /* a slice ends */
    JST_AT_END       /* the process is about to end, and waits for it */
};

/* The functions that the modules define for the table. */
const char *jst_module_os_open(jst_block *b);
void jst_module_os_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
void jst_module_os_child(void);
void jst_module_children_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
const char *jst_module_perf_open(jst_block *b);
void jst_module_perf_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
const char *jst_module_perf_missing(bool ending);
void jst_module_perf_close(void);
const char *jst_module_papi_missing(bool ending);
const char *jst_module_memory_probe_open(jst_block *b);
void jst_module_memory_probe_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
const char *jst_module_core_probe_open(jst_block *b);
void jst_module_core_probe_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
void jst_module_gpu_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion);
const char *jst_module_gpu_missing(bool ending);
void jst_module_gpu_child(void);

/* Called by the heartbeat: each calls all modules, in the order of the table. */
void jst_modules_open(int fd);
void jst_modules_sample(uint64_t now_ns, enum jst_occasion occasion);
void jst_modules_note_missing(int fd, uint64_t now_ns, bool ending);
void jst_modules_child(void);
void jst_modules_close(void);

#endif
