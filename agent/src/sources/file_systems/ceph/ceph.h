/* ceph.h: the sources of Ceph: its daemons (ceph.c), and the kernel's mounts (ceph_client.c). */
#ifndef JST_CEPH_H
#define JST_CEPH_H

#include "source.h"

/** The folder of the admin sockets of Ceph's daemons; NULL: /run/ceph. */
extern const char *jst_ceph_folder;

extern const jst_source jst_source_ceph;
extern const jst_source jst_source_ceph_client;

#endif
