/* jst_metrics.h: the cells of a counter block.
 * Made by tools/generate.py from schema/metrics.toml; do not edit. */
/* clang-format off */
#ifndef JST_METRICS_H
#define JST_METRICS_H

#include <stdint.h>

#define JST_MOUNT_SLOTS 8u
#define JST_MOUNT_STRIDE 40u
#define JST_HIST_BUCKETS 32u
#define JST_CELL_COUNT 472u
#define JST_METRIC_TABLE_BYTES 2508u

enum jst_kind { JST_COUNTER, JST_TIMER, JST_GAUGE, JST_HISTOGRAM };

/* How a record codes a cell. */
enum jst_code {
    JST_CODE_UNUSED = 0,
    JST_CODE_COUNTER = 1,   /* varint increase */
    JST_CODE_GAUGE = 2,     /* svarint change */
    JST_CODE_TIMER = 3,     /* ticks in the cell, minifloat nanoseconds in the record */
    JST_CODE_NS = 4,        /* nanoseconds in the cell, minifloat in the record */
    JST_CODE_HISTOGRAM = 5, /* varint increase */
};

/* Scope mount: from the start of the slot (slot s begins at s * JST_MOUNT_STRIDE). */
#define JST_CELL_POSIX_OPEN_OPS          0u
#define JST_CELL_POSIX_CLOSE_OPS         1u
#define JST_CELL_POSIX_READ_OPS          2u
#define JST_CELL_POSIX_READ_BYTES        3u
#define JST_CELL_POSIX_READ_NS           4u
#define JST_CELL_POSIX_WRITE_OPS         5u
#define JST_CELL_POSIX_WRITE_BYTES       6u
#define JST_CELL_POSIX_WRITE_NS          7u
#define JST_CELL_POSIX_SEEK_OPS          8u
#define JST_CELL_POSIX_SYNC_OPS          9u
#define JST_CELL_POSIX_SYNC_NS           10u
#define JST_CELL_POSIX_META_OPS          11u
#define JST_CELL_POSIX_META_NS           12u
#define JST_CELL_STDIO_OPEN_OPS          13u
#define JST_CELL_STDIO_CLOSE_OPS         14u
#define JST_CELL_STDIO_READ_OPS          15u
#define JST_CELL_STDIO_READ_BYTES        16u
#define JST_CELL_STDIO_READ_NS           17u
#define JST_CELL_STDIO_WRITE_OPS         18u
#define JST_CELL_STDIO_WRITE_BYTES       19u
#define JST_CELL_STDIO_WRITE_NS          20u
#define JST_CELL_STDIO_SEEK_OPS          21u
#define JST_CELL_STDIO_SYNC_OPS          22u
#define JST_CELL_STDIO_SYNC_NS           23u
#define JST_CELL_STDIO_META_OPS          24u
#define JST_CELL_STDIO_META_NS           25u
#define JST_CELL_ERROR_MISSING_OPS       26u
#define JST_CELL_ERROR_ACCESS_OPS        27u
#define JST_CELL_ERROR_SPACE_OPS         28u
#define JST_CELL_ERROR_IO_OPS            29u
#define JST_CELL_ERROR_REMOTE_OPS        30u
#define JST_CELL_ERROR_AGAIN_OPS         31u
#define JST_CELL_ERROR_LIMIT_OPS         32u
#define JST_CELL_ERROR_INVALID_OPS       33u
#define JST_CELL_ERROR_OTHER_OPS         34u

/* Histograms: the first of 32 cells. */
#define JST_CELL_POSIX_READ_SIZE         320u
#define JST_CELL_POSIX_WRITE_SIZE        352u
#define JST_CELL_STDIO_READ_SIZE         384u
#define JST_CELL_STDIO_WRITE_SIZE        416u

/* Scope process. */
#define JST_CELL_STREAM_READ_OPS         448u
#define JST_CELL_STREAM_READ_BYTES       449u
#define JST_CELL_STREAM_READ_NS          450u
#define JST_CELL_STREAM_WRITE_OPS        451u
#define JST_CELL_STREAM_WRITE_BYTES      452u
#define JST_CELL_STREAM_WRITE_NS         453u
#define JST_CELL_OS_READ_CHARS           454u
#define JST_CELL_OS_WRITE_CHARS          455u
#define JST_CELL_OS_READ_BYTES           456u
#define JST_CELL_OS_WRITE_BYTES          457u
#define JST_CELL_OS_READ_CALLS           458u
#define JST_CELL_OS_WRITE_CALLS          459u
#define JST_CELL_OS_USER_NS              460u
#define JST_CELL_OS_SYSTEM_NS            461u
#define JST_CELL_OS_RUNQUEUE_NS          462u
#define JST_CELL_OS_VOLUNTARY_SWITCHES   463u
#define JST_CELL_OS_INVOLUNTARY_SWITCHES 464u
#define JST_CELL_OS_MINOR_FAULTS         465u
#define JST_CELL_OS_MAJOR_FAULTS         466u
#define JST_CELL_OS_RSS_BYTES            467u
#define JST_CELL_OS_THREADS              468u
#define JST_CELL_SELF_CALLS_OPS          469u
#define JST_CELL_SELF_HEARTBEAT_NS       470u
#define JST_CELL_SELF_COST_NS            471u

#pragma GCC visibility push(hidden)
extern const char jst_metric_table[]; /* the profile's metric table */
extern const uint32_t jst_metric_table_bytes;
extern const uint32_t jst_metric_table_crc; /* CRC-32 of the table: the fingerprint */
extern const uint8_t jst_cell_kind[JST_CELL_COUNT]; /* enum jst_code */
#pragma GCC visibility pop

#endif
