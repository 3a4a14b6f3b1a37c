/* jst_components.h: the metrics of a machine's components.
 * Made by tools/generate.py from schema/metrics.toml; do not edit. */
/* clang-format off */
#ifndef JST_COMPONENTS_H
#define JST_COMPONENTS_H

#include <stdint.h>

/* Cells of an 'X' record. */
enum jst_component_metric {
    JST_STORAGE_READ_BYTES        = 0,
    JST_STORAGE_READ_OPS          = 1,
    JST_STORAGE_READ_NS           = 2,
    JST_STORAGE_WRITE_BYTES       = 3,
    JST_STORAGE_WRITE_OPS         = 4,
    JST_STORAGE_WRITE_NS          = 5,
    JST_STORAGE_META_OPS          = 6,
    JST_STORAGE_META_NS           = 7,
    JST_STORAGE_SYNC_OPS          = 8,
    JST_STORAGE_SYNC_NS           = 9,
    JST_STORAGE_BUSY_NS           = 10,
    JST_STORAGE_WAIT_NS           = 11,
    JST_STORAGE_WAIT_OPS          = 12,
    JST_STORAGE_QUEUE_NS          = 13,
    JST_STORAGE_QUEUED            = 14,
    JST_STORAGE_RETRY_OPS         = 15,
    JST_STORAGE_ERROR_OPS         = 16,
    JST_LINK_RECEIVE_BYTES        = 17,
    JST_LINK_RECEIVE_PACKETS      = 18,
    JST_LINK_SEND_BYTES           = 19,
    JST_LINK_SEND_PACKETS         = 20,
    JST_LINK_WAIT_TICKS           = 21,
    JST_LINK_PAUSE_OPS            = 22,
    JST_LINK_ERROR_OPS            = 23,
    JST_LINK_DROP_OPS             = 24,
    JST_LINK_RETRY_OPS            = 25,
    JST_LINK_DOWN_OPS             = 26,
    JST_LINK_RATE_BYTES           = 27,
    JST_CPU_USER_NS               = 28,
    JST_CPU_SYSTEM_NS             = 29,
    JST_CPU_IDLE_NS               = 30,
    JST_CPU_IOWAIT_NS             = 31,
    JST_CPU_STEAL_NS              = 32,
    JST_CPU_IRQ_NS                = 33,
    JST_CPU_COUNT                 = 34,
    JST_CPU_RUNNABLE              = 35,
    JST_CPU_FREQUENCY_KHZ         = 36,
    JST_CPU_FREQUENCY_MIN_KHZ     = 37,
    JST_CPU_FREQUENCY_LIMIT_KHZ   = 38,
    JST_CPU_THROTTLE_OPS          = 39,
    JST_CPU_THROTTLE_NS           = 40,
    JST_CPU_QUOTA_NS              = 41,
    JST_PRESSURE_CPU_NS           = 42,
    JST_PRESSURE_MEMORY_NS        = 43,
    JST_PRESSURE_MEMORY_FULL_NS   = 44,
    JST_PRESSURE_IO_NS            = 45,
    JST_PRESSURE_IO_FULL_NS       = 46,
    JST_MEMORY_USED_BYTES         = 47,
    JST_MEMORY_LIMIT_BYTES        = 48,
    JST_MEMORY_READ_BYTES         = 49,
    JST_MEMORY_WRITE_BYTES        = 50,
    JST_MEMORY_SWAP_BYTES         = 51,
    JST_MEMORY_OOM_OPS            = 52,
    JST_POWER_ENERGY_UJ           = 53,
    JST_POWER_LIMIT_UW            = 54,
    JST_POWER_TEMPERATURE_MC      = 55,
    JST_TASKS_COUNT               = 56,
    JST_DEVICE_BUSY_NS            = 57,
    JST_DEVICE_CLOCK_KHZ          = 58,
    JST_DEVICE_CLOCK_LIMIT_KHZ    = 59,
    JST_DEVICE_THROTTLE_NS        = 60,
    JST_DEVICE_PEER_RECEIVE_BYTES = 61,
    JST_DEVICE_PEER_SEND_BYTES    = 62,
    JST_DEVICE_ERROR_OPS          = 63,
    JST_CPU_USED_NS               = 64,
    JST_STORAGE_CALL_READ_BYTES   = 65,
    JST_STORAGE_CALL_WRITE_BYTES  = 66,
    JST_STORAGE_CACHED_COUNT      = 67,
    JST_COMPONENT_METRICS         = 68
};

/* How a record codes a cell: 'C' varint increase, 'T' an increase of ns as a minifloat,
 * 'G' varint level. */
static const char jst_component_code[JST_COMPONENT_METRICS] = {
    'C',
    'C',
    'T',
    'C',
    'C',
    'T',
    'C',
    'T',
    'C',
    'T',
    'T',
    'T',
    'C',
    'T',
    'G',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'C',
    'G',
    'T',
    'T',
    'T',
    'T',
    'T',
    'T',
    'G',
    'G',
    'G',
    'G',
    'G',
    'C',
    'T',
    'T',
    'T',
    'T',
    'T',
    'T',
    'T',
    'G',
    'G',
    'C',
    'C',
    'C',
    'C',
    'C',
    'G',
    'G',
    'G',
    'T',
    'G',
    'G',
    'T',
    'C',
    'C',
    'C',
    'T',
    'C',
    'C',
    'G',
};

static const char jst_component_table[] =
    "storage_read_bytes counter bytes component 0 1\n"
    "storage_read_ops counter ops component 1 1\n"
    "storage_read_ns counter ns component 2 1\n"
    "storage_write_bytes counter bytes component 3 1\n"
    "storage_write_ops counter ops component 4 1\n"
    "storage_write_ns counter ns component 5 1\n"
    "storage_meta_ops counter ops component 6 1\n"
    "storage_meta_ns counter ns component 7 1\n"
    "storage_sync_ops counter ops component 8 1\n"
    "storage_sync_ns counter ns component 9 1\n"
    "storage_busy_ns counter ns component 10 1\n"
    "storage_wait_ns counter ns component 11 1\n"
    "storage_wait_ops counter ops component 12 1\n"
    "storage_queue_ns counter ns component 13 1\n"
    "storage_queued gauge count component 14 1\n"
    "storage_retry_ops counter ops component 15 1\n"
    "storage_error_ops counter ops component 16 1\n"
    "link_receive_bytes counter bytes component 17 1\n"
    "link_receive_packets counter ops component 18 1\n"
    "link_send_bytes counter bytes component 19 1\n"
    "link_send_packets counter ops component 20 1\n"
    "link_wait_ticks counter ticks component 21 1\n"
    "link_pause_ops counter ops component 22 1\n"
    "link_error_ops counter ops component 23 1\n"
    "link_drop_ops counter ops component 24 1\n"
    "link_retry_ops counter ops component 25 1\n"
    "link_down_ops counter ops component 26 1\n"
    "link_rate_bytes gauge bytes component 27 1\n"
    "cpu_user_ns counter ns component 28 1\n"
    "cpu_system_ns counter ns component 29 1\n"
    "cpu_idle_ns counter ns component 30 1\n"
    "cpu_iowait_ns counter ns component 31 1\n"
    "cpu_steal_ns counter ns component 32 1\n"
    "cpu_irq_ns counter ns component 33 1\n"
    "cpu_count gauge count component 34 1\n"
    "cpu_runnable gauge threads component 35 1\n"
    "cpu_frequency_khz gauge khz component 36 1\n"
    "cpu_frequency_min_khz gauge khz component 37 1\n"
    "cpu_frequency_limit_khz gauge khz component 38 1\n"
    "cpu_throttle_ops counter ops component 39 1\n"
    "cpu_throttle_ns counter ns component 40 1\n"
    "cpu_quota_ns counter ns component 41 1\n"
    "pressure_cpu_ns counter ns component 42 1\n"
    "pressure_memory_ns counter ns component 43 1\n"
    "pressure_memory_full_ns counter ns component 44 1\n"
    "pressure_io_ns counter ns component 45 1\n"
    "pressure_io_full_ns counter ns component 46 1\n"
    "memory_used_bytes gauge bytes component 47 1\n"
    "memory_limit_bytes gauge bytes component 48 1\n"
    "memory_read_bytes counter bytes component 49 1\n"
    "memory_write_bytes counter bytes component 50 1\n"
    "memory_swap_bytes counter bytes component 51 1\n"
    "memory_oom_ops counter ops component 52 1\n"
    "power_energy_uj counter uj component 53 1\n"
    "power_limit_uw gauge uw component 54 1\n"
    "power_temperature_mc gauge mc component 55 1\n"
    "tasks_count gauge count component 56 1\n"
    "device_busy_ns counter ns component 57 1\n"
    "device_clock_khz gauge khz component 58 1\n"
    "device_clock_limit_khz gauge khz component 59 1\n"
    "device_throttle_ns counter ns component 60 1\n"
    "device_peer_receive_bytes counter bytes component 61 1\n"
    "device_peer_send_bytes counter bytes component 62 1\n"
    "device_error_ops counter ops component 63 1\n"
    "cpu_used_ns counter ns component 64 1\n"
    "storage_call_read_bytes counter bytes component 65 1\n"
    "storage_call_write_bytes counter bytes component 66 1\n"
    "storage_cached_count gauge count component 67 1\n"
    ;
#define JST_COMPONENT_TABLE_BYTES 2977u
#define JST_COMPONENT_TABLE_CRC 0xea1a9144u

#endif
