/* ceph_text.h: parses the answers of Ceph's daemons to numbers (ceph_text.c). */
#ifndef JST_CEPH_TEXT_H
#define JST_CEPH_TEXT_H

#include <stdint.h>

#include "ceph_json.h"

#define JST_CEPH_NAME 64
#define JST_CEPH_KINDS 64 /* of requests to a metadata server */
#define JST_CEPH_PLACE 256

/* The counters of object servers, of metadata servers, of clients. */
enum jst_ceph_count {
    JST_CEPH_READ_OPS,
    JST_CEPH_WRITE_OPS,
    JST_CEPH_BOTH_OPS, /* requests that read and write */
    JST_CEPH_READ_BYTES,
    JST_CEPH_WRITE_BYTES,
    JST_CEPH_READ_NS,
    JST_CEPH_WRITE_NS,
    JST_CEPH_BOTH_NS,
    JST_CEPH_WAIT_OPS,
    JST_CEPH_WAIT_NS,
    JST_CEPH_QUEUED,
    JST_CEPH_META_OPS,
    JST_CEPH_META_NS,
    JST_CEPH_CACHED,
    JST_CEPH_SYNC_OPS,
    JST_CEPH_SYNC_NS,
    JST_CEPH_RECEIVED_BYTES,
    JST_CEPH_COUNTS
};

/* One kind of request to a metadata server. */
typedef struct jst_ceph_kind {
    char name[JST_JSON_KEY];
    uint64_t ops, ns;
    bool has_ops, has_ns;
} jst_ceph_kind;

/* The result of `perf dump`. */
typedef struct jst_ceph_counts {
    uint64_t value[JST_CEPH_COUNTS];
    unsigned seen;  /* bit c: this version of Ceph counts it */
    unsigned known; /* bit c: there is a number */
    unsigned kinds;
    jst_ceph_kind kind[JST_CEPH_KINDS];
} jst_ceph_counts;

/** For jst_json_begin: `to` is a jst_ceph_counts, cleared. */
void jst_ceph_take_counts(void *to, const jst_json *j, jst_json_event event, const char *text);

/* A client's session with a metadata server. */
typedef struct jst_ceph_session {
    uint64_t id, load; /* load: as request_load_avg */
    bool has_load;
    char host[JST_CEPH_NAME];
} jst_ceph_session;

typedef struct jst_ceph_sessions {
    void (*each)(void *to, const jst_ceph_session *session);
    void *to;
    jst_ceph_session now;
    bool has_id;
} jst_ceph_sessions;

/** For jst_json_begin: `to` is a jst_ceph_sessions; `session ls`. */
void jst_ceph_take_session(void *to, const jst_json *j, jst_json_event event, const char *text);

/* The identity of a daemon. */
typedef struct jst_ceph_identity {
    char fsid[JST_CEPH_NAME];
    char mount[JST_CEPH_PLACE]; /* of a client: where it is mounted */
    double half_life;           /* of request_load_avg, s */
} jst_ceph_identity;

/** For jst_json_begin: `to` is a jst_ceph_identity; `config get`, and `status` of a client. */
void jst_ceph_take_identity(void *to, const jst_json *j, jst_json_event event, const char *text);

/** A number of at most 64 bits and nothing else. */
bool jst_ceph_number(const char *text, uint64_t *to);
/** Seconds, as ns. False: it is none, negative, or beyond 64 bits. */
bool jst_ceph_ns(const char *text, uint64_t *to);

/** How many requests a session made, by its load before (`at_most`, which becomes that of now), and `load`
 *  after `seconds`: a sum that halves every `half_life` seconds and is rounded down when it is shown.
 *  The fewest that explain it: rounding adds no request. After more than a half-life too little is
 *  left. */
double jst_ceph_requests(double *at_most, uint64_t load, double seconds, double half_life);

#endif
