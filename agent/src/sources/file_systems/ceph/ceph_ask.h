/* ceph_ask.h: queries to the admin sockets of Ceph's daemons, to many at the same time
 * (ceph_ask.c).
 *
 * A query is one connection: JSON and a NUL; the answer is its length, 4 bytes in network order,
 * and text.
 */
#ifndef JST_CEPH_ASK_H
#define JST_CEPH_ASK_H

#include <stdint.h>

#include "ceph_json.h"

#define JST_CEPH_ANSWER (4u << 20) /* bytes of an answer; a longer one is not read */

typedef enum jst_ceph_result {
    JST_CEPH_GOOD,
    JST_CEPH_ASKED,  /* not answered yet */
    JST_CEPH_SILENT, /* it did not answer in time */
    JST_CEPH_GONE,   /* no process listens */
    JST_CEPH_DENIED, /* we have no right to connect */
    JST_CEPH_WRONG   /* the answer was incomplete, too long or no JSON */
} jst_ceph_result;

typedef struct jst_ceph_talk {
    jst_json json; /* initialised by the caller */
    jst_ceph_result result;
    int fd;
    unsigned char head[4];
    unsigned have; /* of the header */
    uint32_t length, left;
} jst_ceph_talk;

/** Queries the socket `name` in `folder`; its answer is read into talk->json. */
void jst_ceph_ask(jst_ceph_talk *talk, const char *folder, const char *name, const char *question);
/** Reads the answers of all queried ones, until `until_ns` (CLOCK_MONOTONIC). When one has ended
 *  `next` is called, which may query again; those without an answer by then are JST_CEPH_SILENT. */
void jst_ceph_listen(jst_ceph_talk *const *talks, unsigned n, uint64_t until_ns,
                     void (*next)(unsigned i));

#endif
