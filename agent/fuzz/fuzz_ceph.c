/* fuzz_ceph.c: fuzzes the parser of Ceph daemons' answers. Results do not depend on where pieces
 * end, and no name or number is out of its bounds. */
#include <stdlib.h>
#include <string.h>

#include "sources/file_systems/ceph/ceph_text.h"

typedef struct seen {
    jst_ceph_counts counts;
    jst_ceph_identity who;
    uint64_t sessions, sum;
    bool whole;
} seen;

static void take_session(void *to, const jst_ceph_session *session)
{
    seen *s = to;
    if (!session->host[0] || strlen(session->host) >= sizeof session->host)
        abort();
    s->sessions++;
    s->sum = s->sum * 31 + session->id + session->load;
}

/* 0: counts, 1: sessions, 2: identity. */
static void read_in(const uint8_t *data, size_t size, size_t step, unsigned what, seen *s)
{
    static jst_json j;
    jst_ceph_sessions sessions = {.each = take_session, .to = s};
    if (what == 0)
        jst_json_begin(&j, jst_ceph_take_counts, &s->counts);
    else if (what == 1)
        jst_json_begin(&j, jst_ceph_take_session, &sessions);
    else
        jst_json_begin(&j, jst_ceph_take_identity, &s->who);
    for (size_t at = 0; at < size; at += step)
        if (!jst_json_take(&j, (const char *)data + at, size - at < step ? size - at : step))
            break;
    s->whole = jst_json_is_whole(&j);
    if (s->counts.kinds > JST_CEPH_KINDS || s->counts.known & ~s->counts.seen)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static seen whole, pieces;
    double at_most = 1;
    for (unsigned what = 0; what < 3; what++) {
        memset(&whole, 0, sizeof whole);
        memset(&pieces, 0, sizeof pieces);
        read_in(data, size, size + 1, what, &whole);
        read_in(data, size, 1 + size % 61, what, &pieces);
        if (memcmp(&whole, &pieces, sizeof whole) != 0)
            abort();
        if (!(jst_ceph_requests(&at_most, whole.sum, (double)(size % 100), 60) >= 0))
            abort();
    }
    return 0;
}
