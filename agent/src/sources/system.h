/* system.h: sources of what Linux itself counts. */
#ifndef JST_SYSTEM_H
#define JST_SYSTEM_H

#include "source.h"

extern const jst_source jst_source_machine;    /* CPU time, pressure, memory, frequencies */
extern const jst_source jst_source_disk;       /* block devices */
extern const jst_source jst_source_interface;  /* network interfaces */
extern const jst_source jst_source_nfs_mount;  /* NFS mounts */
extern const jst_source jst_source_nfs_server; /* an NFS server */

#endif
