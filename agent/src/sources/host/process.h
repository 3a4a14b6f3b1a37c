/* process.h: the processes of the machine, observed from outside (process.c). */
#ifndef JST_PROCESS_H
#define JST_PROCESS_H

#include <sys/types.h>

#include "source.h"

extern const jst_source jst_source_process;

/** The processes that this one started are of this job; 0: no process is of a job. */
extern pid_t jst_job_root;
extern const char *jst_job_name;

#define JST_MOST_CORES 8192
#define JST_CORE_LIST 256
#define JST_PARTS 4 /* of the cores, that one process is seen on in a slice */

/* Where a process ran since its last report (process_cores.c). */
typedef struct jst_seen {
    uint64_t cpu, thread;       /* CPU time of all of it and of its first thread, as read last */
    uint64_t of_all, of_thread; /* their increases since the last report */
    uint64_t on[JST_PARTS];     /* increase of the thread, by part of the cores */
    uint16_t part[JST_PARTS];
    uint16_t last;    /* the part that it was on when it was seen last */
    uint32_t looks;   /* number of such checks */
    uint32_t cut;     /* number of the division of cores with these parts */
    bool is_reported; /* in a report; it was not seen since */
} jst_seen;

/* What is known of a process that was among the largest (process_facts.c). */
typedef struct jst_process {
    uint64_t start;    /* ticks since the machine came up */
    uint64_t bytes[4]; /* JST_CALL_READ and so on, as read last */
    uint32_t pid;
    uint32_t parent;
    uint32_t uid; /* plus 1; 0: not known, or not to be recorded */
    bool of_job, is_profiled, has_bytes;
    bool has_threads; /* more than one */
    bool is_kernels;  /* it is a thread of the kernel */
    uint8_t reports;  /* until its names are read again */
    char name[32];    /* the program's */
    char cores[JST_CORE_LIST];
    char group[256];
    jst_seen seen;
} jst_process;

enum { JST_CALL_READ, JST_CALL_WRITE, JST_DISK_READ, JST_DISK_WRITE, JST_PROCESS_BYTES };

/** Reads its identity; false: it is gone. */
bool jst_process_identify(jst_process *p);
/** Reads its current name and cores; false: it is gone, or another process has its id. */
bool jst_process_look_again(jst_process *p);
/** The bytes that it moved since the last call, of a process that was never read: 0, or since it
 *  began.
 *  False: they cannot be read. */
bool jst_process_bytes(jst_process *p, bool from_zero, uint64_t gained[JST_PROCESS_BYTES]);
/** CPU time of a process, ns; 0: there is no such process. */
uint64_t jst_process_cpu(uint32_t pid);

/** Writes cores as the kernel does: 0-3,8. "": the list does not fit. */
void jst_list_cores(char to[JST_CORE_LIST], const bool has[JST_MOST_CORES]);
/** The allowed cores of processes are given again from here on. */
void jst_cores_begin(void);
/** Some process may run on these cores only. */
void jst_cores_bound(const char *list);
/** All were given: divides the cores into parts that each process may use as a whole or not at
 * all. */
void jst_cores_cut(void);
/** Is there more than one part in a list? */
bool jst_cores_are_apart(const char *list);
/** Reads which core a process is on; cpu: its CPU time now, lately: since the last boundary. */
void jst_process_see(jst_process *p, uint64_t cpu, uint64_t lately);
/** Returns the cores on which it was seen, k from 0 to JST_PARTS - 1: their list, and how much of
 *  its new CPU time was there. */
uint64_t jst_process_ran_on(jst_process *p, unsigned k, uint64_t cpu, char list[JST_CORE_LIST]);

#endif
