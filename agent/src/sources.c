/* sources.c: the table of sources: a row here, a file in sources/. */
#include "sources.h"

#include "sources/file_systems/beegfs.h"
#include "sources/file_systems/ceph/ceph.h"
#include "sources/file_systems/gpfs.h"
#include "sources/file_systems/lustre.h"
#include "sources/hardware.h"
#include "sources/host/process.h"
#include "sources/system.h"

/* clang-format off */
const jst_source *const jst_sources[] = {
    &jst_source_machine,
    &jst_source_disk,
    &jst_source_interface,
    &jst_source_nfs_mount,
    &jst_source_nfs_server,
    &jst_source_batch_jobs,
    &jst_source_process,
    &jst_source_fabric,
    &jst_source_slingshot,
    &jst_source_power,
    &jst_source_cray_power,
    &jst_source_memory_traffic,
    &jst_source_nvidia,
    &jst_source_lustre_client,
    &jst_source_lustre_server,
    &jst_source_lustre_jobs,
    &jst_source_gpfs,
    &jst_source_beegfs,
    &jst_source_ceph,
    &jst_source_ceph_client,
    NULL,
};
