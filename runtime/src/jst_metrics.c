/* jst_metrics.c: the metric table of a profile.
 * Made by tools/generate.py from schema/metrics.toml; do not edit. */
/* clang-format off */
#include "jst_metrics.h"

const char jst_metric_table[] =
    "posix_open_ops counter ops mount 0 1\n"
    "posix_close_ops counter ops mount 1 1\n"
    "posix_read_ops counter ops mount 2 1\n"
    "posix_read_bytes counter bytes mount 3 1\n"
    "posix_read_ns timer ns mount 4 1\n"
    "posix_write_ops counter ops mount 5 1\n"
    "posix_write_bytes counter bytes mount 6 1\n"
    "posix_write_ns timer ns mount 7 1\n"
    "posix_seek_ops counter ops mount 8 1\n"
    "posix_sync_ops counter ops mount 9 1\n"
    "posix_sync_ns timer ns mount 10 1\n"
    "posix_meta_ops counter ops mount 11 1\n"
    "posix_meta_ns timer ns mount 12 1\n"
    "stdio_open_ops counter ops mount 13 1\n"
    "stdio_close_ops counter ops mount 14 1\n"
    "stdio_read_ops counter ops mount 15 1\n"
    "stdio_read_bytes counter bytes mount 16 1\n"
    "stdio_read_ns timer ns mount 17 1\n"
    "stdio_write_ops counter ops mount 18 1\n"
    "stdio_write_bytes counter bytes mount 19 1\n"
    "stdio_write_ns timer ns mount 20 1\n"
    "stdio_seek_ops counter ops mount 21 1\n"
    "stdio_sync_ops counter ops mount 22 1\n"
    "stdio_sync_ns timer ns mount 23 1\n"
    "stdio_meta_ops counter ops mount 24 1\n"
    "stdio_meta_ns timer ns mount 25 1\n"
    "error_missing_ops counter ops mount 26 1\n"
    "error_access_ops counter ops mount 27 1\n"
    "error_space_ops counter ops mount 28 1\n"
    "error_io_ops counter ops mount 29 1\n"
    "error_remote_ops counter ops mount 30 1\n"
    "error_again_ops counter ops mount 31 1\n"
    "error_limit_ops counter ops mount 32 1\n"
    "error_invalid_ops counter ops mount 33 1\n"
    "error_other_ops counter ops mount 34 1\n"
    "posix_read_size histogram ops process 320 32\n"
    "posix_write_size histogram ops process 352 32\n"
    "stdio_read_size histogram ops process 384 32\n"
    "stdio_write_size histogram ops process 416 32\n"
    "stream_read_ops counter ops process 448 1\n"
    "stream_read_bytes counter bytes process 449 1\n"
    "stream_read_ns timer ns process 450 1\n"
    "stream_write_ops counter ops process 451 1\n"
    "stream_write_bytes counter bytes process 452 1\n"
    "stream_write_ns timer ns process 453 1\n"
    "os_read_chars counter bytes process 454 1\n"
    "os_write_chars counter bytes process 455 1\n"
    "os_read_bytes counter bytes process 456 1\n"
    "os_write_bytes counter bytes process 457 1\n"
    "os_read_calls counter ops process 458 1\n"
    "os_write_calls counter ops process 459 1\n"
    "os_user_ns counter ns process 460 1\n"
    "os_system_ns counter ns process 461 1\n"
    "os_runqueue_ns counter ns process 462 1\n"
    "os_voluntary_switches counter ops process 463 1\n"
    "os_involuntary_switches counter ops process 464 1\n"
    "os_minor_faults counter ops process 465 1\n"
    "os_major_faults counter ops process 466 1\n"
    "os_rss_bytes gauge bytes process 467 1\n"
    "os_threads gauge threads process 468 1\n"
    "self_calls_ops counter ops process 469 1\n"
    "self_heartbeat_ns counter ns process 470 1\n"
    "self_cost_ns counter ns process 471 1\n"
    ;

const uint32_t jst_metric_table_bytes = JST_METRIC_TABLE_BYTES;
const uint32_t jst_metric_table_crc = 0x96afb84eu;

const uint8_t jst_cell_kind[JST_CELL_COUNT] = {
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
    5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 4, 4, 4, 1, 1, 1, 1, 2, 2, 1, 4, 4,
};

_Static_assert(sizeof jst_metric_table == JST_METRIC_TABLE_BYTES + 1, "table length");
