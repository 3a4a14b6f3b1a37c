/* jst_metrics.h: the cells of a counter block.
 * Made by tools/generate.py from schema/metrics.toml; do not edit. */
/* clang-format off */
#ifndef JST_METRICS_H
#define JST_METRICS_H

#include <stdint.h>

#define JST_MOUNT_SLOTS 8u
#define JST_MOUNT_STRIDE 40u
#define JST_HIST_BUCKETS 32u
#define JST_CELL_COUNT 656u
#define JST_METRIC_TABLE_BYTES 10299u

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
#define JST_CELL_POSIX_OPEN_OPS             0u
#define JST_CELL_POSIX_CLOSE_OPS            1u
#define JST_CELL_POSIX_READ_OPS             2u
#define JST_CELL_POSIX_READ_BYTES           3u
#define JST_CELL_POSIX_READ_NS              4u
#define JST_CELL_POSIX_WRITE_OPS            5u
#define JST_CELL_POSIX_WRITE_BYTES          6u
#define JST_CELL_POSIX_WRITE_NS             7u
#define JST_CELL_POSIX_SEEK_OPS             8u
#define JST_CELL_POSIX_SYNC_OPS             9u
#define JST_CELL_POSIX_SYNC_NS              10u
#define JST_CELL_POSIX_META_OPS             11u
#define JST_CELL_POSIX_META_NS              12u
#define JST_CELL_STDIO_OPEN_OPS             13u
#define JST_CELL_STDIO_CLOSE_OPS            14u
#define JST_CELL_STDIO_READ_OPS             15u
#define JST_CELL_STDIO_READ_BYTES           16u
#define JST_CELL_STDIO_READ_NS              17u
#define JST_CELL_STDIO_WRITE_OPS            18u
#define JST_CELL_STDIO_WRITE_BYTES          19u
#define JST_CELL_STDIO_WRITE_NS             20u
#define JST_CELL_STDIO_SEEK_OPS             21u
#define JST_CELL_STDIO_SYNC_OPS             22u
#define JST_CELL_STDIO_SYNC_NS              23u
#define JST_CELL_STDIO_META_OPS             24u
#define JST_CELL_STDIO_META_NS              25u
#define JST_CELL_ERROR_MISSING_OPS          26u
#define JST_CELL_ERROR_ACCESS_OPS           27u
#define JST_CELL_ERROR_SPACE_OPS            28u
#define JST_CELL_ERROR_IO_OPS               29u
#define JST_CELL_ERROR_REMOTE_OPS           30u
#define JST_CELL_ERROR_AGAIN_OPS            31u
#define JST_CELL_ERROR_LIMIT_OPS            32u
#define JST_CELL_ERROR_INVALID_OPS          33u
#define JST_CELL_ERROR_OTHER_OPS            34u
#define JST_CELL_ACCESS_BACK_OPS            35u
#define JST_CELL_ACCESS_BACK_BYTES          36u
#define JST_CELL_ACCESS_GAP_OPS             37u
#define JST_CELL_ACCESS_FILE_OPS            38u
#define JST_CELL_ACCESS_FILE_BYTES          39u

/* Histograms: the first of 32 cells. */
#define JST_CELL_POSIX_READ_SIZE            320u
#define JST_CELL_POSIX_WRITE_SIZE           352u
#define JST_CELL_STDIO_READ_SIZE            384u
#define JST_CELL_STDIO_WRITE_SIZE           416u

/* Scope process. */
#define JST_CELL_STREAM_READ_OPS            448u
#define JST_CELL_STREAM_READ_BYTES          449u
#define JST_CELL_STREAM_READ_NS             450u
#define JST_CELL_STREAM_WRITE_OPS           451u
#define JST_CELL_STREAM_WRITE_BYTES         452u
#define JST_CELL_STREAM_WRITE_NS            453u
#define JST_CELL_OS_READ_CHARS              454u
#define JST_CELL_OS_WRITE_CHARS             455u
#define JST_CELL_OS_READ_BYTES              456u
#define JST_CELL_OS_WRITE_BYTES             457u
#define JST_CELL_OS_READ_CALLS              458u
#define JST_CELL_OS_WRITE_CALLS             459u
#define JST_CELL_OS_USER_NS                 460u
#define JST_CELL_OS_SYSTEM_NS               461u
#define JST_CELL_OS_RUNQUEUE_NS             462u
#define JST_CELL_OS_VOLUNTARY_SWITCHES      463u
#define JST_CELL_OS_INVOLUNTARY_SWITCHES    464u
#define JST_CELL_OS_MINOR_FAULTS            465u
#define JST_CELL_OS_MAJOR_FAULTS            466u
#define JST_CELL_OS_RSS_BYTES               467u
#define JST_CELL_OS_THREADS                 468u
#define JST_CELL_SELF_CALLS_OPS             469u
#define JST_CELL_SELF_HEARTBEAT_NS          470u
#define JST_CELL_SELF_COST_NS               471u
#define JST_CELL_MPI_SEND_OPS               472u
#define JST_CELL_MPI_SEND_BYTES             473u
#define JST_CELL_MPI_SEND_NS                474u
#define JST_CELL_MPI_RECV_OPS               475u
#define JST_CELL_MPI_RECV_BYTES             476u
#define JST_CELL_MPI_RECV_NS                477u
#define JST_CELL_MPI_SENDRECV_OPS           478u
#define JST_CELL_MPI_SENDRECV_BYTES         479u
#define JST_CELL_MPI_SENDRECV_NS            480u
#define JST_CELL_MPI_ISEND_OPS              481u
#define JST_CELL_MPI_ISEND_BYTES            482u
#define JST_CELL_MPI_ISEND_NS               483u
#define JST_CELL_MPI_IRECV_OPS              484u
#define JST_CELL_MPI_IRECV_BYTES            485u
#define JST_CELL_MPI_IRECV_NS               486u
#define JST_CELL_MPI_PROBE_OPS              487u
#define JST_CELL_MPI_PROBE_NS               488u
#define JST_CELL_MPI_WAIT_OPS               489u
#define JST_CELL_MPI_WAIT_NS                490u
#define JST_CELL_MPI_TEST_OPS               491u
#define JST_CELL_MPI_TEST_NS                492u
#define JST_CELL_MPI_REQUEST_OPS            493u
#define JST_CELL_MPI_REQUEST_NS             494u
#define JST_CELL_MPI_ONE_TO_ALL_OPS         495u
#define JST_CELL_MPI_ONE_TO_ALL_BYTES       496u
#define JST_CELL_MPI_ONE_TO_ALL_NS          497u
#define JST_CELL_MPI_ALL_TO_ONE_OPS         498u
#define JST_CELL_MPI_ALL_TO_ONE_BYTES       499u
#define JST_CELL_MPI_ALL_TO_ONE_NS          500u
#define JST_CELL_MPI_ALL_TO_ALL_OPS         501u
#define JST_CELL_MPI_ALL_TO_ALL_BYTES       502u
#define JST_CELL_MPI_ALL_TO_ALL_NS          503u
#define JST_CELL_MPI_BARRIER_OPS            504u
#define JST_CELL_MPI_BARRIER_NS             505u
#define JST_CELL_MPI_SCAN_OPS               506u
#define JST_CELL_MPI_SCAN_BYTES             507u
#define JST_CELL_MPI_SCAN_NS                508u
#define JST_CELL_MPI_NEIGHBOR_OPS           509u
#define JST_CELL_MPI_NEIGHBOR_BYTES         510u
#define JST_CELL_MPI_NEIGHBOR_NS            511u
#define JST_CELL_MPI_IONE_TO_ALL_OPS        512u
#define JST_CELL_MPI_IONE_TO_ALL_BYTES      513u
#define JST_CELL_MPI_IONE_TO_ALL_NS         514u
#define JST_CELL_MPI_IALL_TO_ONE_OPS        515u
#define JST_CELL_MPI_IALL_TO_ONE_BYTES      516u
#define JST_CELL_MPI_IALL_TO_ONE_NS         517u
#define JST_CELL_MPI_IALL_TO_ALL_OPS        518u
#define JST_CELL_MPI_IALL_TO_ALL_BYTES      519u
#define JST_CELL_MPI_IALL_TO_ALL_NS         520u
#define JST_CELL_MPI_IBARRIER_OPS           521u
#define JST_CELL_MPI_IBARRIER_NS            522u
#define JST_CELL_MPI_ISCAN_OPS              523u
#define JST_CELL_MPI_ISCAN_BYTES            524u
#define JST_CELL_MPI_ISCAN_NS               525u
#define JST_CELL_MPI_INEIGHBOR_OPS          526u
#define JST_CELL_MPI_INEIGHBOR_BYTES        527u
#define JST_CELL_MPI_INEIGHBOR_NS           528u
#define JST_CELL_MPI_PUT_OPS                529u
#define JST_CELL_MPI_PUT_BYTES              530u
#define JST_CELL_MPI_PUT_NS                 531u
#define JST_CELL_MPI_GET_OPS                532u
#define JST_CELL_MPI_GET_BYTES              533u
#define JST_CELL_MPI_GET_NS                 534u
#define JST_CELL_MPI_ACCUMULATE_OPS         535u
#define JST_CELL_MPI_ACCUMULATE_BYTES       536u
#define JST_CELL_MPI_ACCUMULATE_NS          537u
#define JST_CELL_MPI_RMA_SYNC_OPS           538u
#define JST_CELL_MPI_RMA_SYNC_NS            539u
#define JST_CELL_MPI_WINDOW_OPS             540u
#define JST_CELL_MPI_WINDOW_NS              541u
#define JST_CELL_MPIIO_OPEN_OPS             542u
#define JST_CELL_MPIIO_OPEN_NS              543u
#define JST_CELL_MPIIO_CLOSE_OPS            544u
#define JST_CELL_MPIIO_CLOSE_NS             545u
#define JST_CELL_MPIIO_SYNC_OPS             546u
#define JST_CELL_MPIIO_SYNC_NS              547u
#define JST_CELL_MPIIO_META_OPS             548u
#define JST_CELL_MPIIO_META_NS              549u
#define JST_CELL_MPIIO_READ_OPS             550u
#define JST_CELL_MPIIO_READ_BYTES           551u
#define JST_CELL_MPIIO_READ_NS              552u
#define JST_CELL_MPIIO_READ_ALL_OPS         553u
#define JST_CELL_MPIIO_READ_ALL_BYTES       554u
#define JST_CELL_MPIIO_READ_ALL_NS          555u
#define JST_CELL_MPIIO_READ_SHARED_OPS      556u
#define JST_CELL_MPIIO_READ_SHARED_BYTES    557u
#define JST_CELL_MPIIO_READ_SHARED_NS       558u
#define JST_CELL_MPIIO_READ_SPLIT_OPS       559u
#define JST_CELL_MPIIO_READ_SPLIT_BYTES     560u
#define JST_CELL_MPIIO_READ_SPLIT_NS        561u
#define JST_CELL_MPIIO_WRITE_OPS            562u
#define JST_CELL_MPIIO_WRITE_BYTES          563u
#define JST_CELL_MPIIO_WRITE_NS             564u
#define JST_CELL_MPIIO_WRITE_ALL_OPS        565u
#define JST_CELL_MPIIO_WRITE_ALL_BYTES      566u
#define JST_CELL_MPIIO_WRITE_ALL_NS         567u
#define JST_CELL_MPIIO_WRITE_SHARED_OPS     568u
#define JST_CELL_MPIIO_WRITE_SHARED_BYTES   569u
#define JST_CELL_MPIIO_WRITE_SHARED_NS      570u
#define JST_CELL_MPIIO_WRITE_SPLIT_OPS      571u
#define JST_CELL_MPIIO_WRITE_SPLIT_BYTES    572u
#define JST_CELL_MPIIO_WRITE_SPLIT_NS       573u
#define JST_CELL_MPI_COMM_OPS               574u
#define JST_CELL_MPI_COMM_NS                575u
#define JST_CELL_MPI_SPAWN_OPS              576u
#define JST_CELL_MPI_SPAWN_NS               577u
#define JST_CELL_MPI_INIT_OPS               578u
#define JST_CELL_MPI_INIT_NS                579u
#define JST_CELL_MPI_FINALIZE_OPS           580u
#define JST_CELL_MPI_FINALIZE_NS            581u
#define JST_CELL_MPI_ABORT_OPS              582u
#define JST_CELL_MPI_ABORT_NS               583u
#define JST_CELL_STATE_P2P_NS               584u
#define JST_CELL_STATE_COLLECTIVE_NS        585u
#define JST_CELL_STATE_ONESIDED_NS          586u
#define JST_CELL_STATE_MPIIO_NS             587u
#define JST_CELL_STATE_MPI_NS               588u
#define JST_CELL_STATE_IO_NS                589u
#define JST_CELL_WAIT_MPI_NS                590u
#define JST_CELL_WAIT_OFFCPU_NS             591u
#define JST_CELL_PERF_INSTRUCTIONS          592u
#define JST_CELL_PERF_CYCLES                593u
#define JST_CELL_PERF_LLC_MISSES            594u
#define JST_CELL_PERF_TASK_CLOCK_NS         595u
#define JST_CELL_PERF_SWITCHES              596u
#define JST_CELL_PERF_MIGRATIONS            597u
#define JST_CELL_PERF_FAULTS                598u
#define JST_CELL_PAPI_1_COUNT               599u
#define JST_CELL_PAPI_2_COUNT               600u
#define JST_CELL_PAPI_3_COUNT               601u
#define JST_CELL_PAPI_4_COUNT               602u
#define JST_CELL_CANARY_NS                  603u
#define JST_CELL_CANARY_COUNT               604u
#define JST_CELL_CANARY_STEAL_NS            605u
#define JST_CELL_WAIT_SHORT_NS              606u
#define JST_CELL_WAIT_ALL_NS                607u
#define JST_CELL_OS_CPUS                    608u
#define JST_CELL_OS_FIRST_CPU               609u
#define JST_CELL_OS_AWAKE                   610u
#define JST_CELL_OS_CPU_LIMIT               611u
#define JST_CELL_OS_THROTTLED_NS            612u
#define JST_CELL_MPI_RECV_ARRIVED_BYTES     613u
#define JST_CELL_MPI_IRECV_ARRIVED_BYTES    614u
#define JST_CELL_MPI_SENDRECV_SENT_BYTES    615u
#define JST_CELL_MPI_SENDRECV_ARRIVED_BYTES 616u
#define JST_CELL_GPU_H2D_OPS                617u
#define JST_CELL_GPU_H2D_BYTES              618u
#define JST_CELL_GPU_H2D_NS                 619u
#define JST_CELL_GPU_D2H_OPS                620u
#define JST_CELL_GPU_D2H_BYTES              621u
#define JST_CELL_GPU_D2H_NS                 622u
#define JST_CELL_GPU_D2D_OPS                623u
#define JST_CELL_GPU_D2D_BYTES              624u
#define JST_CELL_GPU_D2D_NS                 625u
#define JST_CELL_GPU_PEER_OPS               626u
#define JST_CELL_GPU_PEER_BYTES             627u
#define JST_CELL_GPU_PEER_NS                628u
#define JST_CELL_GPU_SET_OPS                629u
#define JST_CELL_GPU_SET_BYTES              630u
#define JST_CELL_GPU_SET_NS                 631u
#define JST_CELL_GPU_LAUNCH_OPS             632u
#define JST_CELL_GPU_GRAPH_OPS              633u
#define JST_CELL_GPU_WAIT_OPS               634u
#define JST_CELL_GPU_WAIT_NS                635u
#define JST_CELL_GPU_LOST_OPS               636u
#define JST_CELL_GPU_BUSY_NS                637u
#define JST_CELL_CCL_ALL_TO_ALL_OPS         638u
#define JST_CELL_CCL_ALL_TO_ALL_BYTES       639u
#define JST_CELL_CCL_ALL_TO_ALL_NS          640u
#define JST_CELL_CCL_ONE_TO_ALL_OPS         641u
#define JST_CELL_CCL_ONE_TO_ALL_BYTES       642u
#define JST_CELL_CCL_ONE_TO_ALL_NS          643u
#define JST_CELL_CCL_ALL_TO_ONE_OPS         644u
#define JST_CELL_CCL_ALL_TO_ONE_BYTES       645u
#define JST_CELL_CCL_ALL_TO_ONE_NS          646u
#define JST_CELL_CCL_BARRIER_OPS            647u
#define JST_CELL_CCL_BARRIER_NS             648u
#define JST_CELL_CCL_SEND_OPS               649u
#define JST_CELL_CCL_SEND_BYTES             650u
#define JST_CELL_CCL_SEND_NS                651u
#define JST_CELL_CCL_RECV_OPS               652u
#define JST_CELL_CCL_RECV_BYTES             653u
#define JST_CELL_CCL_RECV_NS                654u

#pragma GCC visibility push(hidden)
extern const char jst_metric_table[]; /* the profile's metric table */
extern const uint32_t jst_metric_table_bytes;
extern const uint32_t jst_metric_table_crc; /* CRC-32 of the table: the fingerprint */
extern const uint8_t jst_cell_kind[JST_CELL_COUNT]; /* enum jst_code */
#pragma GCC visibility pop

#endif
