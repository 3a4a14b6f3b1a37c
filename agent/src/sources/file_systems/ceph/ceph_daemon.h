/* ceph_daemon.h: the source's data on a daemon of Ceph (ceph.c, ceph_report.c). */
#ifndef JST_CEPH_DAEMON_H
#define JST_CEPH_DAEMON_H

#include "ceph_ask.h"
#include "ceph_text.h"
#include "mounts.h"
#include "source.h"

#define JST_CEPH_SESSIONS 4096 /* that are followed, of one metadata server */

/* A client's session: its requests are known only by a load that decays. */
typedef struct jst_ceph_load {
    uint64_t id;
    double at_most; /* its load now is below it */
    double share;   /* requests in this sample, before they are scaled to the server's sum */
    double carried; /* part of a request that was not reported yet */
    bool seen;
    char host[JST_CEPH_NAME];
} jst_ceph_load;

enum jst_ceph_step {
    JST_STEP_FSID,
    JST_STEP_SELF,
    JST_STEP_COUNTS,
    JST_STEP_SESSIONS,
    JST_STEP_OVER
};

typedef struct jst_ceph_daemon {
    char folder[256], file[JST_CEPH_NAME + 32], name[JST_CEPH_NAME];
    enum jst_component_kind kind; /* JST_KIND_CEPH_OSD, _MDS, or _MOUNT of a client */
    uint64_t born;                /* of its socket: a restarted daemon has another */
    bool present, is_known, is_uninteresting;
    bool is_gone; /* its socket exists, and no process listens */
    jst_ceph_identity who;
    char source[JST_MOUNT_TEXT];
    jst_ceph_talk talk;
    enum jst_ceph_step step;
    unsigned failures;
    uint64_t again_ns; /* CLOCK_MONOTONIC; it is not queried before */
    bool asked, answered, answered_before;
    jst_ceph_counts counts, fresh; /* of the last whole answer; of the one that is being read */
    /* Of a metadata server: its clients. */
    jst_ceph_sessions reading;
    jst_ceph_load *loads;
    unsigned sessions, room, cursor;
    bool has_sessions, counting, skipped, too_many;
    /* CLOCK_MONOTONIC: when this list was requested, when it was received, when the last one was
     * received. Between are at least so many seconds of decay: the delay of a slow answer adds no
     * request. */
    uint64_t read_ns, received_ns, received_before_ns;
    uint64_t sessions_again_ns;         /* they are not requested before */
    uint64_t requests_then, then_slice; /* all requests, and the slice, at the last reading */
    bool has_then;
} jst_ceph_daemon;

/** Stores one client's session in the daemon `to`. */
void jst_ceph_take_load(void *to, const jst_ceph_session *session);
/** Reports the daemon's numbers in this sample, or that they are not known. */
void jst_ceph_report(jst_sample *s, jst_ceph_daemon *d, uint64_t slice);

#endif
