/* injector.h: shared declarations of the parts of libjostle_inject.so.
 *
 *   injector.c        the interface to libjostle.so; which call is delayed, and the delay itself
 *   rules.c           the rules in JOSTLE_INJECT
 *   random_delays.c   the random numbers: pure functions of seed, rank, class and number of the call
 *   log.c             every delay, in a mapped file
 *   stubs.S           what wrappers call in place of the real I/O functions
 *
 * The rules of libjostle.so hold here too: no lock, no allocation, no stdio, no errno on the path of
 * a call; for its own needs it makes raw system calls.
 */
#ifndef JST_INJECTOR_H
#define JST_INJECTOR_H

#include "../../runtime/include/jst_inject.h"
#include "../../runtime/include/jst_mpi.h"
#include "../../runtime/src/sys.h"

#include <stdatomic.h>

/* ---- classes: those of MPI calls (jst_mpi.h), and of I/O calls ---- */
#define JST_IO_CLASSES(X) X(READ) X(WRITE) X(OPEN) X(CLOSE) X(SYNC) X(META)
#define JST_IO_CLASS_ENUM(name) JST_DELAY_##name,
enum jst_delay_class {
    JST_DELAY_MPI_LAST = JST_MPI_CLASS_COUNT - 1,
    JST_IO_CLASSES(JST_IO_CLASS_ENUM) JST_DELAY_CLASSES
};
#undef JST_IO_CLASS_ENUM
_Static_assert(JST_DELAY_CLASSES <= 64, "a set of classes is a word");

/* ---- rules.c ---- */
enum jst_shape { JST_FIXED, JST_GAUSS, JST_PARETO };
#define JST_RANGES 64

typedef struct jst_rules {
    uint64_t classes; /* set of classes to delay; 0: none at all */
    uint64_t seed;
    double probability;
    enum jst_shape shape;
    double size_ns;   /* fixed: length; gauss: mean; pareto: the least */
    double spread_ns; /* gauss: standard deviation; pareto: exponent */
    double most_ns;   /* pareto: the cap */
    uint64_t from_ns, until_ns;
    uint64_t period_ns, on_ns, phase_ns; /* period 0: always on */
    bool random_place;                   /* the position of the part in its period is drawn */
    unsigned ranges;                     /* 0: every process */
    struct {
        uint32_t first, last;
    } ranks[JST_RANGES];
    char log[512];   /* folder */
    char text[1024]; /* JOSTLE_INJECT as it was given */
} jst_rules;

extern jst_rules jst_rule;

/** Reads JOSTLE_INJECT; NULL, or what is wrong with it (*where: the word concerned). */
const char *jst_rules_read(const char *text, char where[64]);
/** Whether processes of this rank are to be delayed; -1 is none. */
bool jst_rules_rank(int64_t rank);
const char *jst_class_name(unsigned klass);

/* ---- random_delays.c ---- */
/** The key of a class's sequence of numbers in one process. */
uint64_t jst_chance_key(uint64_t seed, int64_t rank, uint32_t ordinal, unsigned klass);
/** Whether the n-th call (from 0) is delayed; *ns: for how long. */
bool jst_chance(const jst_rules *rules, uint64_t key, uint64_t n, uint64_t *ns);
/** Which of a period's `places` equal parts is on: the same in all processes of a run. */
uint64_t jst_place(uint64_t seed, uint64_t period, uint64_t places);

/* ---- log.c ---- */
typedef struct jst_log_class {
    char name[24];
    _Atomic uint64_t calls;     /* that could have been delayed */
    _Atomic uint64_t given, ns; /* delays that have ended */
    uint64_t gap[2];
} jst_log_class;

typedef struct jst_log_head {
    char magic[8];
    uint32_t version, head_bytes, record_bytes, capacity;
    uint32_t pid;
    int32_t rank; /* -1: none */
    uint32_t ordinal, class_count;
    uint64_t seed, start_ns, ready_ns; /* CLOCK_REALTIME; MPI_Init done, 0: not */
    char host[64], job[128], program[64], rules[1024];
    _Atomic uint64_t begun, lost,
        lost_ns; /* records; delays that found no room, and their length */
    char gap[2048 - 1368];
    jst_log_class classes[64];
    char gap2[2048];
} jst_log_head;

_Static_assert(sizeof(jst_log_head) == 8192, "lab/src/jostle_lab/inject/log.py");
_Static_assert(offsetof(jst_log_head, begun) == 1344, "lab/src/jostle_lab/inject/log.py");
_Static_assert(offsetof(jst_log_head, classes) == 2048, "lab/src/jostle_lab/inject/log.py");

typedef struct jst_log_record {
    uint64_t start_ns; /* CLOCK_REALTIME */
    uint64_t delay_ns; /* 0: it has not ended */
    uint64_t n;        /* number of the call in its class, from 0 */
    uint32_t tid;
    uint16_t klass;
    _Atomic uint16_t valid;
    char call[32];
} jst_log_record;

_Static_assert(sizeof(jst_log_record) == 64, "lab/src/jostle_lab/inject/log.py");

extern jst_log_head *jst_log; /* NULL: there is none yet, or any more */

/** Makes the log and finds this process's number among those of its rank; false: it failed. */
bool jst_log_make(int64_t rank);
/** A record for a delay that begins; NULL where there is no room. */
jst_log_record *jst_log_begin(unsigned klass, const char *call, uint64_t n);
void jst_log_end(jst_log_record *record, unsigned klass, uint64_t ns);
/** In a forked child: what is mapped is the parent's. */
void jst_log_leave(void);

/* ---- injector.c ---- */
/** Writes a line to stderr, if that is still the file of the process' start. */
void jst_tell(const char *what, const char *value, const char *then);

static inline uint64_t jst_now(clockid_t clock) /* the C library asks the vDSO */
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* strcpy with a limit; always ends with a 0. */
static inline void jst_text(char *to, size_t room, const char *from)
{
    size_t i = 0;
    for (; from[i] && i + 1 < room; i++)
        to[i] = from[i];
    to[i] = 0;
}

#endif
