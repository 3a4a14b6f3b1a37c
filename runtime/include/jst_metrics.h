/* jst_metrics.h: the cells of a counter block.
 * Made by tools/generate.py from schema/metrics.toml; do not edit. */
/* clang-format off */
#ifndef JST_METRICS_H
#define JST_METRICS_H

#include <stdint.h>

#define JST_MOUNT_SLOTS 8u
#define JST_MOUNT_STRIDE 48u
#define JST_HIST_BUCKETS 32u
#define JST_CELL_COUNT 728u
#define JST_METRIC_TABLE_BYTES 10810u

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
#define JST_CELL_ACCESS_READ_AHEAD_OPS      40u
#define JST_CELL_ACCESS_READ_BACK_OPS       41u
#define JST_CELL_ACCESS_READ_JUMP_BYTES     42u
#define JST_CELL_ACCESS_READ_STRIDE_OPS     43u
#define JST_CELL_ACCESS_READ_STRIDE_BYTES   44u
#define JST_CELL_ACCESS_READ_AGAIN_OPS      45u
#define JST_CELL_ACCESS_READ_AGAIN_BYTES    46u
#define JST_CELL_ACCESS_READ_FILE_OPS       47u

/* Histograms: the first of 32 cells. */
#define JST_CELL_POSIX_READ_SIZE            384u
#define JST_CELL_POSIX_WRITE_SIZE           416u
#define JST_CELL_STDIO_READ_SIZE            448u
#define JST_CELL_STDIO_WRITE_SIZE           480u

/* Scope process. */
#define JST_CELL_STREAM_READ_OPS            512u
#define JST_CELL_STREAM_READ_BYTES          513u
#define JST_CELL_STREAM_READ_NS             514u
#define JST_CELL_STREAM_WRITE_OPS           515u
#define JST_CELL_STREAM_WRITE_BYTES         516u
#define JST_CELL_STREAM_WRITE_NS            517u
#define JST_CELL_OS_READ_CHARS              518u
#define JST_CELL_OS_WRITE_CHARS             519u
#define JST_CELL_OS_READ_BYTES              520u
#define JST_CELL_OS_WRITE_BYTES             521u
#define JST_CELL_OS_READ_CALLS              522u
#define JST_CELL_OS_WRITE_CALLS             523u
#define JST_CELL_OS_USER_NS                 524u
#define JST_CELL_OS_SYSTEM_NS               525u
#define JST_CELL_OS_RUNQUEUE_NS             526u
#define JST_CELL_OS_VOLUNTARY_SWITCHES      527u
#define JST_CELL_OS_INVOLUNTARY_SWITCHES    528u
#define JST_CELL_OS_MINOR_FAULTS            529u
#define JST_CELL_OS_MAJOR_FAULTS            530u
#define JST_CELL_OS_RSS_BYTES               531u
#define JST_CELL_OS_THREADS                 532u
#define JST_CELL_SELF_CALLS_OPS             533u
#define JST_CELL_SELF_HEARTBEAT_NS          534u
#define JST_CELL_SELF_COST_NS               535u
#define JST_CELL_MPI_SEND_OPS               536u
#define JST_CELL_MPI_SEND_BYTES             537u
#define JST_CELL_MPI_SEND_NS                538u
#define JST_CELL_MPI_RECV_OPS               539u
#define JST_CELL_MPI_RECV_BYTES             540u
#define JST_CELL_MPI_RECV_NS                541u
#define JST_CELL_MPI_SENDRECV_OPS           542u
#define JST_CELL_MPI_SENDRECV_BYTES         543u
#define JST_CELL_MPI_SENDRECV_NS            544u
#define JST_CELL_MPI_ISEND_OPS              545u
#define JST_CELL_MPI_ISEND_BYTES            546u
#define JST_CELL_MPI_ISEND_NS               547u
#define JST_CELL_MPI_IRECV_OPS              548u
#define JST_CELL_MPI_IRECV_BYTES            549u
#define JST_CELL_MPI_IRECV_NS               550u
#define JST_CELL_MPI_PROBE_OPS              551u
#define JST_CELL_MPI_PROBE_NS               552u
#define JST_CELL_MPI_WAIT_OPS               553u
#define JST_CELL_MPI_WAIT_NS                554u
#define JST_CELL_MPI_TEST_OPS               555u
#define JST_CELL_MPI_TEST_NS                556u
#define JST_CELL_MPI_REQUEST_OPS            557u
#define JST_CELL_MPI_REQUEST_NS             558u
#define JST_CELL_MPI_ONE_TO_ALL_OPS         559u
#define JST_CELL_MPI_ONE_TO_ALL_BYTES       560u
#define JST_CELL_MPI_ONE_TO_ALL_NS          561u
#define JST_CELL_MPI_ALL_TO_ONE_OPS         562u
#define JST_CELL_MPI_ALL_TO_ONE_BYTES       563u
#define JST_CELL_MPI_ALL_TO_ONE_NS          564u
#define JST_CELL_MPI_ALL_TO_ALL_OPS         565u
#define JST_CELL_MPI_ALL_TO_ALL_BYTES       566u
#define JST_CELL_MPI_ALL_TO_ALL_NS          567u
#define JST_CELL_MPI_BARRIER_OPS            568u
#define JST_CELL_MPI_BARRIER_NS             569u
#define JST_CELL_MPI_SCAN_OPS               570u
#define JST_CELL_MPI_SCAN_BYTES             571u
#define JST_CELL_MPI_SCAN_NS                572u
#define JST_CELL_MPI_NEIGHBOR_OPS           573u
#define JST_CELL_MPI_NEIGHBOR_BYTES         574u
#define JST_CELL_MPI_NEIGHBOR_NS            575u
#define JST_CELL_MPI_IONE_TO_ALL_OPS        576u
#define JST_CELL_MPI_IONE_TO_ALL_BYTES      577u
#define JST_CELL_MPI_IONE_TO_ALL_NS         578u
#define JST_CELL_MPI_IALL_TO_ONE_OPS        579u
#define JST_CELL_MPI_IALL_TO_ONE_BYTES      580u
#define JST_CELL_MPI_IALL_TO_ONE_NS         581u
#define JST_CELL_MPI_IALL_TO_ALL_OPS        582u
#define JST_CELL_MPI_IALL_TO_ALL_BYTES      583u
#define JST_CELL_MPI_IALL_TO_ALL_NS         584u
#define JST_CELL_MPI_IBARRIER_OPS           585u
#define JST_CELL_MPI_IBARRIER_NS            586u
#define JST_CELL_MPI_ISCAN_OPS              587u
#define JST_CELL_MPI_ISCAN_BYTES            588u
#define JST_CELL_MPI_ISCAN_NS               589u
#define JST_CELL_MPI_INEIGHBOR_OPS          590u
#define JST_CELL_MPI_INEIGHBOR_BYTES        591u
#define JST_CELL_MPI_INEIGHBOR_NS           592u
#define JST_CELL_MPI_PUT_OPS                593u
#define JST_CELL_MPI_PUT_BYTES              594u
#define JST_CELL_MPI_PUT_NS                 595u
#define JST_CELL_MPI_GET_OPS                596u
#define JST_CELL_MPI_GET_BYTES              597u
#define JST_CELL_MPI_GET_NS                 598u
#define JST_CELL_MPI_ACCUMULATE_OPS         599u
#define JST_CELL_MPI_ACCUMULATE_BYTES       600u
#define JST_CELL_MPI_ACCUMULATE_NS          601u
#define JST_CELL_MPI_RMA_SYNC_OPS           602u
#define JST_CELL_MPI_RMA_SYNC_NS            603u
#define JST_CELL_MPI_WINDOW_OPS             604u
#define JST_CELL_MPI_WINDOW_NS              605u
#define JST_CELL_MPIIO_OPEN_OPS             606u
#define JST_CELL_MPIIO_OPEN_NS              607u
#define JST_CELL_MPIIO_CLOSE_OPS            608u
#define JST_CELL_MPIIO_CLOSE_NS             609u
#define JST_CELL_MPIIO_SYNC_OPS             610u
#define JST_CELL_MPIIO_SYNC_NS              611u
#define JST_CELL_MPIIO_META_OPS             612u
#define JST_CELL_MPIIO_META_NS              613u
#define JST_CELL_MPIIO_READ_OPS             614u
#define JST_CELL_MPIIO_READ_BYTES           615u
#define JST_CELL_MPIIO_READ_NS              616u
#define JST_CELL_MPIIO_READ_ALL_OPS         617u
#define JST_CELL_MPIIO_READ_ALL_BYTES       618u
#define JST_CELL_MPIIO_READ_ALL_NS          619u
#define JST_CELL_MPIIO_READ_SHARED_OPS      620u
#define JST_CELL_MPIIO_READ_SHARED_BYTES    621u
#define JST_CELL_MPIIO_READ_SHARED_NS       622u
#define JST_CELL_MPIIO_READ_SPLIT_OPS       623u
#define JST_CELL_MPIIO_READ_SPLIT_BYTES     624u
#define JST_CELL_MPIIO_READ_SPLIT_NS        625u
#define JST_CELL_MPIIO_WRITE_OPS            626u
#define JST_CELL_MPIIO_WRITE_BYTES          627u
#define JST_CELL_MPIIO_WRITE_NS             628u
#define JST_CELL_MPIIO_WRITE_ALL_OPS        629u
#define JST_CELL_MPIIO_WRITE_ALL_BYTES      630u
#define JST_CELL_MPIIO_WRITE_ALL_NS         631u
#define JST_CELL_MPIIO_WRITE_SHARED_OPS     632u
#define JST_CELL_MPIIO_WRITE_SHARED_BYTES   633u
#define JST_CELL_MPIIO_WRITE_SHARED_NS      634u
#define JST_CELL_MPIIO_WRITE_SPLIT_OPS      635u
#define JST_CELL_MPIIO_WRITE_SPLIT_BYTES    636u
#define JST_CELL_MPIIO_WRITE_SPLIT_NS       637u
#define JST_CELL_MPI_COMM_OPS               638u
#define JST_CELL_MPI_COMM_NS                639u
#define JST_CELL_MPI_SPAWN_OPS              640u
#define JST_CELL_MPI_SPAWN_NS               641u
#define JST_CELL_MPI_INIT_OPS               642u
#define JST_CELL_MPI_INIT_NS                643u
#define JST_CELL_MPI_FINALIZE_OPS           644u
#define JST_CELL_MPI_FINALIZE_NS            645u
#define JST_CELL_MPI_ABORT_OPS              646u
#define JST_CELL_MPI_ABORT_NS               647u
#define JST_CELL_STATE_P2P_NS               648u
#define JST_CELL_STATE_COLLECTIVE_NS        649u
#define JST_CELL_STATE_ONESIDED_NS          650u
#define JST_CELL_STATE_MPIIO_NS             651u
#define JST_CELL_STATE_MPI_NS               652u
#define JST_CELL_STATE_IO_NS                653u
#define JST_CELL_WAIT_MPI_NS                654u
#define JST_CELL_WAIT_OFFCPU_NS             655u
#define JST_CELL_PERF_INSTRUCTIONS          656u
#define JST_CELL_PERF_CYCLES                657u
#define JST_CELL_PERF_LLC_MISSES            658u
#define JST_CELL_PERF_TASK_CLOCK_NS         659u
#define JST_CELL_PERF_SWITCHES              660u
#define JST_CELL_PERF_MIGRATIONS            661u
#define JST_CELL_PERF_FAULTS                662u
#define JST_CELL_PAPI_1_COUNT               663u
#define JST_CELL_PAPI_2_COUNT               664u
#define JST_CELL_PAPI_3_COUNT               665u
#define JST_CELL_PAPI_4_COUNT               666u
#define JST_CELL_CORE_PROBE_NS              667u
#define JST_CELL_CORE_PROBE_COUNT           668u
#define JST_CELL_CORE_PROBE_STEAL_NS        669u
#define JST_CELL_WAIT_SHORT_NS              670u
#define JST_CELL_WAIT_ALL_NS                671u
#define JST_CELL_OS_CPUS                    672u
#define JST_CELL_OS_FIRST_CPU               673u
#define JST_CELL_OS_AWAKE                   674u
#define JST_CELL_OS_CPU_LIMIT               675u
#define JST_CELL_OS_THROTTLED_NS            676u
#define JST_CELL_MPI_RECV_ARRIVED_BYTES     677u
#define JST_CELL_MPI_IRECV_ARRIVED_BYTES    678u
#define JST_CELL_MPI_SENDRECV_SENT_BYTES    679u
#define JST_CELL_MPI_SENDRECV_ARRIVED_BYTES 680u
#define JST_CELL_GPU_H2D_OPS                681u
#define JST_CELL_GPU_H2D_BYTES              682u
#define JST_CELL_GPU_H2D_NS                 683u
#define JST_CELL_GPU_D2H_OPS                684u
#define JST_CELL_GPU_D2H_BYTES              685u
#define JST_CELL_GPU_D2H_NS                 686u
#define JST_CELL_GPU_D2D_OPS                687u
#define JST_CELL_GPU_D2D_BYTES              688u
#define JST_CELL_GPU_D2D_NS                 689u
#define JST_CELL_GPU_PEER_OPS               690u
#define JST_CELL_GPU_PEER_BYTES             691u
#define JST_CELL_GPU_PEER_NS                692u
#define JST_CELL_GPU_SET_OPS                693u
#define JST_CELL_GPU_SET_BYTES              694u
#define JST_CELL_GPU_SET_NS                 695u
#define JST_CELL_GPU_LAUNCH_OPS             696u
#define JST_CELL_GPU_GRAPH_OPS              697u
#define JST_CELL_GPU_WAIT_OPS               698u
#define JST_CELL_GPU_WAIT_NS                699u
#define JST_CELL_GPU_LOST_OPS               700u
#define JST_CELL_GPU_BUSY_NS                701u
#define JST_CELL_CCL_ALL_TO_ALL_OPS         702u
#define JST_CELL_CCL_ALL_TO_ALL_BYTES       703u
#define JST_CELL_CCL_ALL_TO_ALL_NS          704u
#define JST_CELL_CCL_ONE_TO_ALL_OPS         705u
#define JST_CELL_CCL_ONE_TO_ALL_BYTES       706u
#define JST_CELL_CCL_ONE_TO_ALL_NS          707u
#define JST_CELL_CCL_ALL_TO_ONE_OPS         708u
#define JST_CELL_CCL_ALL_TO_ONE_BYTES       709u
#define JST_CELL_CCL_ALL_TO_ONE_NS          710u
#define JST_CELL_CCL_BARRIER_OPS            711u
#define JST_CELL_CCL_BARRIER_NS             712u
#define JST_CELL_CCL_SEND_OPS               713u
#define JST_CELL_CCL_SEND_BYTES             714u
#define JST_CELL_CCL_SEND_NS                715u
#define JST_CELL_CCL_RECV_OPS               716u
#define JST_CELL_CCL_RECV_BYTES             717u
#define JST_CELL_CCL_RECV_NS                718u
#define JST_CELL_MEMORY_LATENCY_NS          719u
#define JST_CELL_MEMORY_STREAM_NS           720u
#define JST_CELL_MEMORY_PROBE_COUNT         721u

#pragma GCC visibility push(hidden)
extern const char jst_metric_table[]; /* the profile's metric table */
extern const uint32_t jst_metric_table_bytes;
extern const uint32_t jst_metric_table_crc; /* CRC-32 of the table: the fingerprint */
extern const uint8_t jst_cell_kind[JST_CELL_COUNT]; /* enum jst_code */
#pragma GCC visibility pop

#endif
