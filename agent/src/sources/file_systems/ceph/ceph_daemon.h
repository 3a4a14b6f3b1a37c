/* ceph_daemon.h: a daemon of Ceph, as the source knows it (ceph.c, ceph_report.c). */
#ifndef JST_CEPH_DAEMON_H
#define JST_CEPH_DAEMON_H

#include "ceph_ask.h"
#include "ceph_text.h"
#include "mounts.h"
#include "source.h"

#define JST_CEPH_SESSIONS 4096 /* that are followed, of one metadata server */

/* A client's session: what it asked is known only by a load that decays. */
typedef struct jst_ceph_load {
    uint64_t id;
    double at_most; /* its load now is below it */
    double share; /* requests in this sample, before they are made to agree with the server's sum */
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
    bool is_gone; /* its socket is there, and nobody listens */
    jst_ceph_identity who;
    char source[JST_MOUNT_TEXT];
    jst_ceph_talk talk;
    enum jst_ceph_step step;
    unsigned failures;
    uint64_t again_ns; /* CLOCK_MONOTONIC; it is not asked before */
    bool asked, answered, answered_before;
    jst_ceph_counts counts, fresh; /* of the last whole answer; of the one that is being read */
    /* Of a metadata server: its clients. */
    jst_ceph_sessions reading;
    jst_ceph_load *loads;
    unsigned sessions, room, cursor;
    bool has_sessions, counting, skipped, too_many;
    /* CLOCK_MONOTONIC: when this list was asked for, when it was told, when the last one was told. Between are
     * at least so many seconds of decay: what a slow answer adds is no request. */
    uint64_t read_ns, told_ns, told_before_ns;
    uint64_t sessions_again_ns;         /* they are not asked for before */
    uint64_t requests_then, then_slice; /* all requests, and the slice, at the last reading */
    bool has_then;
} jst_ceph_daemon;

/** What one client's session says, into the daemon `to`. */
void jst_ceph_take_load(void *to, const jst_ceph_session *session);
/** Reports what the daemon said in this sample, or that it is not known. */
void jst_ceph_report(jst_sample *s, jst_ceph_daemon *d, uint64_t slice);

#endif
