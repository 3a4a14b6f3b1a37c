/* signal.h: shared declarations of jostle-signal. A signal is a load whose times are known.
 *
 * main.c   reads the options, makes the team, runs the pattern, cleans up
 * run.c    the loop: windows, limits, the stop
 * A pattern is one struct jst_pattern; patterns.c lists them. To add one: write its prepare, step
 * and finish, and put it into that list.
 *
 * NOTE: no folder of ours may be in the compiler's include path, or <signal.h> would be this file.
 * NOTE: everything that is not part of the load (the log, the folder, the clean-up) calls the
 * kernel by sys.h, past jostle's own wrappers, so that a profile of a signal shows only its
 * load. */
#ifndef JST_SIGNAL_H
#define JST_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "files/file.h"
#include "log.h"
#include "team.h"

#define JST_KIB UINT64_C(1024)
#define JST_MIB (1024 * JST_KIB)
#define JST_GIB (1024 * JST_MIB)

enum { JST_EXIT_FAILURE = 1, JST_EXIT_USAGE = 2, JST_EXIT_SIGINT = 130 };

enum jst_flush { JST_FLUSH_DEFAULT, JST_FLUSH_EACH, JST_FLUSH_END, JST_FLUSH_NONE };

enum jst_resource { JST_FILES, JST_NETWORK, JST_MEMORY, JST_CPU, JST_METADATA, JST_GPU };

enum jst_direction { JST_BOTH, JST_H2D, JST_D2H };

struct jst_pattern;

struct jst_options {
    const struct jst_pattern *pattern;
    const char *dir;
    const char *meet;      /* a folder that several signals use; NULL: none */
    uint64_t chunk, piece; /* bytes; piece is chunk unless given, and divides the calls */
    bool shared, reuse, direct, keep, quiet, split, until_stopped, rest;
    enum jst_api api;
    enum jst_flush flush; /* never the default once parsed */
    uint64_t volume;      /* bytes of all processes; 0: no limit */
    uint64_t iterations;  /* of each process; 0: no limit */
    int64_t time_ns;      /* from the start; 0: no limit */
    int64_t every_ns;     /* from the begin of an operation to that of the next, at least; or 0 */
    unsigned processes;
    enum jst_direction direction; /* of copies to and from a GPU */
    bool pageable;                /* their memory on the host is not pinned */
    unsigned device;              /* the GPU */
    struct jst_rhythm rhythm;     /* period 0: sustained */
    double duty;
    int64_t start_ns; /* 0: the next slice boundary */
    int64_t slice_ns;
    const char *log; /* folder; NULL: the default; "none": no log */
    const char *job; /* NULL: a name is made */
    uint64_t max_disk;
    int count; /* the arguments as given, for the log */
    char **values;
};

struct jst_run {
    struct jst_options options;
    struct jst_team team;
    struct jst_counts counts;
    struct jst_log log;
    char job[129];
    char host[65];
    char folder[3072];     /* absolute; made for patterns of files and metadata, and removed */
    uint64_t operations;   /* this process's limit, of --volume and --iterations; 0: none */
    enum jst_reason limit; /* which of the two that is */
    uint64_t first;      /* operations that lower ranks make before: its section in a shared file */
    uint64_t disk_share; /* bytes that this process may hold on disk */
    uint64_t disk_reserve; /* free bytes that are always left */
    void *state;           /* the pattern's own state */

    /* Of the current operation; the loop sets begin_ns and moved = 0 before each step. */
    int64_t begin_ns;  /* a step that first does what is not part of it sets it again */
    uint64_t moved;    /* bytes; a step adds what it moved */
    uint64_t prepared; /* bytes that were written before the start, for what is read */
    char error[1024];  /* the first failure; empty: none */

    /* For patterns that vote: the vote of this process on what follows the current operation
     * (JST_GO_ON, or why it is its last of the burst), set before each step; and the decision of
     * all that took part, set by the step. */
    enum jst_reason vote, verdict;
};

struct jst_pattern {
    const char *name;
    const char *operation; /* what one operation is, for --help */
    enum jst_resource resource;
    enum jst_flush flush; /* the default */
    unsigned moves;       /* chunks per operation: 2 where it writes and reads; 0: no bytes */
    bool needs_mpi;
    /* The processes agree in their messages when a burst and the run are over (run->vote). */
    bool votes;
    /* The chunk where none is given; NULL: 1 MiB. */
    uint64_t (*default_chunk)(void);
    /* Bytes that one operation of this process moves, for --volume; NULL: moves * chunk. */
    uint64_t (*amount)(const struct jst_run *run);
    /* True when all processes must make the same number of operations, together. NULL: never. */
    bool (*collective)(const struct jst_options *options);
    /* NULL, or writes why these options do not fit (what, why, remedy) and returns false. */
    bool (*fits)(const struct jst_options *options, char *why, size_t size);
    /* Before the start instant: buffers, files. Counts nothing as an operation. */
    bool (*prepare)(struct jst_run *run);
    /* One operation. False after jst_fail(). */
    bool (*step)(struct jst_run *run);
    /* After the last operation, however the run ends; flush: the final sync is wanted. */
    bool (*finish)(struct jst_run *run, bool flush);
};

extern const struct jst_pattern *const jst_patterns[]; /* NULL-terminated */

extern const struct jst_pattern jst_open_write_close, jst_write_seek, jst_aggregate_write, jst_read,
    jst_write_seek_read, jst_ping, jst_all_to_all, jst_incast, jst_memory, jst_cache, jst_cpu,
    jst_metadata, jst_create_files, jst_stat_files, jst_list_folder, jst_unlink_files,
    jst_lock_file, jst_pcie, jst_gpu_compute, jst_gpu_memory, jst_gpu_multiply, jst_nccl;

/* Records the first failure of this process, printf-like: what, why, remedy. Returns false. */
__attribute__((format(printf, 2, 3))) bool jst_fail(struct jst_run *run, const char *format, ...);

/* Memory of this process, page-aligned and touched; false after jst_fail(). Never freed. */
bool jst_allocate(struct jst_run *run, size_t size, const char *what, void **memory);

/* Random bytes that no storage can compress; the same for the same seed. */
void jst_fill_random(void *data, size_t size, uint64_t seed);
uint64_t jst_random(uint64_t *state); /* splitmix64 */

/* True when the process was asked to stop (a signal, another process): long steps look here. */
bool jst_stopping(struct jst_run *run);

/* options.c: reads the command line; false after a message, with the status to leave with. */
bool jst_read_options(struct jst_options *options, int count, char **values, int *status);
bool jst_parse_size(const char *text, uint64_t *bytes);
bool jst_parse_seconds(const char *text, int64_t *ns); /* decimal, optionally with s or ms */
const char *jst_flush_name(enum jst_flush flush);
const char *jst_reason_name(enum jst_reason reason);

/* run.c */
/* now_ns: a time before start_ns, or after it if the start has passed; the same for all, as the
 * start. */
enum jst_reason jst_run_pattern(struct jst_run *run, int64_t start_ns, int64_t now_ns);

#endif
