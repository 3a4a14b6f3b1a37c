/* component.h: the components of a source, and their increases since the last record (component.c).
 *
 * A sample belongs to the thread of its source while that runs, and else to the thread that writes the
 * profile (beat.c).
 */
#ifndef JST_COMPONENT_H
#define JST_COMPONENT_H

#include "source.h"

/* A metric of one component. */
typedef struct jst_value {
    uint64_t last;   /* the last value of the counter */
    uint64_t gained; /* since the last record; of a level: the level */
    uint64_t sum;    /* of "others": sum so far in this sample */
} jst_value;

/* A set of metrics: bit m is metric m. */
__extension__ typedef unsigned __int128 jst_metrics;

struct jst_component {
    jst_names names;
    uint32_t hash;
    uint32_t seen;       /* number of the sample that named it last */
    uint32_t file;       /* the file in which it has a number, 0: none */
    uint32_t number;     /* there */
    uint64_t start;      /* as given to jst_since */
    uint64_t first;      /* slice since which it increased, 0: as from its source */
    jst_metrics has;     /* metrics with a value; values are in their order */
    jst_metrics known;   /* counters whose `last` is one */
    jst_metrics lost;    /* counters that had one, and an unusable number since */
    jst_metrics unknown; /* increases that are not known, since the last record */
    jst_metrics added;   /* counters that came as increases */
    jst_metrics levels;  /* levels in the newest sample */
    uint32_t members[2]; /* of "others": how many were summed, now and in the sample before */
    bool others, fresh, epoch, has_start;
    jst_value *values;
};

struct jst_sample {
    uint32_t number;       /* of the sample; the first is 1 */
    uint32_t count, room;  /* components, and places in the table, a power of 2 */
    jst_component **table; /* by hash, open addressing */
    bool swept;            /* memory of components that are gone was freed in this sample */
};

#define JST_NS_LEAST 1000 /* smaller times wait for a later record: remainders of rounding */
#define JST_METRIC(m) ((jst_metrics)1 << (m))
_Static_assert(JST_COMPONENT_METRICS <= 8 * sizeof(jst_metrics), "a set has a bit for each metric");

/** What this machine serves to clients, as the source of their mounts; "": nothing, or not
 *  configured. It becomes the source of the disks, interfaces and NFS servers of such a mount. */
extern const char *jst_serves;
/** Names of these, separated by commas; NULL: all do. */
extern const char *jst_serves_by;

/** A sample begins: nothing is named yet. */
void jst_sample_begin(jst_sample *s);
/** It is complete: components that were not named are gone. */
void jst_sample_end(jst_sample *s);
/** The value of a metric that `has` names. */
jst_value *jst_value_of(const jst_component *c, unsigned metric);
/** Is there anything to write? */
bool jst_component_gained(const jst_component *c);
void jst_sample_free(jst_sample *s);

#endif
