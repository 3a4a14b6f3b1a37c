/* ceph.h: the source of Ceph (ceph.c). */
#ifndef JST_CEPH_H
#define JST_CEPH_H

#include "source.h"

/** Where the admin sockets of Ceph's daemons lie; NULL: /run/ceph. */
extern const char *jst_ceph_folder;

extern const jst_source jst_source_ceph;

#endif
