/* patterns.c: the list of all patterns, in the order of --help. */
#include "signal.h"

const struct jst_pattern *const jst_patterns[] = {
    &jst_open_write_close,
    &jst_write_seek,
    &jst_aggregate_write,
    &jst_read,
    &jst_write_seek_read,
    &jst_ping,
    &jst_all_to_all,
    &jst_incast,
    &jst_memory,
    &jst_cache,
    &jst_cpu,
    &jst_metadata,
    &jst_create_files,
    &jst_stat_files,
    &jst_list_folder,
    &jst_unlink_files,
    &jst_lock_file,
    &jst_pcie,
    &jst_gpu_compute,
    &jst_gpu_memory,
    &jst_gpu_multiply,
    &jst_nccl,
    NULL,
};
