/* process.h: the processes of the machine, seen from outside (process.c). */
#ifndef JST_PROCESS_H
#define JST_PROCESS_H

#include <sys/types.h>

#include "../source.h"

extern const jst_source jst_source_process;

/** The processes that this one started are of this job; 0: no process is of a job. */
extern pid_t jst_job_root;
extern const char *jst_job_name;

/* What is known of a process that was among the largest (process_facts.c). */
typedef struct jst_process {
    uint64_t start;    /* ticks since the machine came up */
    uint64_t bytes[4]; /* JST_CALL_READ and so on, as read last */
    uint32_t pid;
    uint32_t parent;
    uint32_t uid; /* and 1; 0: not known, or not to be recorded */
    bool of_job, is_profiled, has_bytes;
    bool has_threads; /* more than one */
    uint8_t reports;  /* until its names are read again */
    char name[32];    /* the program's */
    char cores[256];
    char group[256];
} jst_process;

enum { JST_CALL_READ, JST_CALL_WRITE, JST_DISK_READ, JST_DISK_WRITE, JST_PROCESS_BYTES };

/** Reads who it is; false: it is gone. */
bool jst_process_identify(jst_process *p);
/** Reads what its name and cores are now; false: it is gone, or another process has its number. */
bool jst_process_look_again(jst_process *p);
/** The bytes that it moved since the last call, of a process that was never asked: 0, or since it began.
 *  False: they cannot be read. */
bool jst_process_bytes(jst_process *p, bool from_zero, uint64_t gained[JST_PROCESS_BYTES]);
/** CPU time of a process, ns; 0: there is no such process. */
uint64_t jst_process_cpu(uint32_t pid);

#endif
