/* segment_ring.c: encodes segments into the ring, and from there into the profile.
 *
 * The ring is in the mapped header, so a segment is kept from the instant at which `written` grows,
 * whatever happens to the process; the heartbeat moves its bytes into 'G' records. Format:
 * docs/reference/profile-format.md.
 */
#include <linux/futex.h>

#include "block.h"
#include "clock.h"
#include "common.h"
#include "heartbeat.h"
#include "mpi_account.h"
#include "mpi_call_kinds.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "profile/records/record.h"
#include "segment.h"
#include "segment_ring.h"
#include "sys.h"
#include "text.h"

#define RING (sizeof jst_a.ring.data)
#define ENTRY_MOST 512

#define MOST_CELLS 12
typedef struct feature {
    uint8_t bit;
    uint16_t cells[MOST_CELLS]; /* 0 ends the list */
} feature;

#define B(name) JST_SEGMENT_BIT_##name
#define C(name) JST_CELL_##name
/* Sums of process cells. */
static const feature process_features[] = {
    {B(SENDS), {C(MPI_SEND_OPS), C(CCL_SEND_OPS)}},
    {B(RECVS), {C(MPI_RECV_OPS), C(CCL_RECV_OPS)}},
    {B(ISENDS), {C(MPI_ISEND_OPS)}},
    {B(IRECVS), {C(MPI_IRECV_OPS)}},
    {B(SENDRECVS), {C(MPI_SENDRECV_OPS)}},
    {B(P2P_BYTES),
     {C(MPI_SEND_BYTES), C(MPI_ISEND_BYTES), C(MPI_SENDRECV_BYTES), C(CCL_SEND_BYTES)}},
    {B(P2P_ROOM), {C(MPI_RECV_BYTES), C(MPI_IRECV_BYTES), C(CCL_RECV_BYTES)}},
    {B(ONE_TO_ALL), {C(MPI_ONE_TO_ALL_OPS), C(MPI_IONE_TO_ALL_OPS), C(CCL_ONE_TO_ALL_OPS)}},
    {B(ALL_TO_ONE), {C(MPI_ALL_TO_ONE_OPS), C(MPI_IALL_TO_ONE_OPS), C(CCL_ALL_TO_ONE_OPS)}},
    {B(ALL_TO_ALL), {C(MPI_ALL_TO_ALL_OPS), C(MPI_IALL_TO_ALL_OPS), C(CCL_ALL_TO_ALL_OPS)}},
    {B(BARRIERS), {C(MPI_BARRIER_OPS), C(MPI_IBARRIER_OPS), C(CCL_BARRIER_OPS)}},
    {B(SCANS), {C(MPI_SCAN_OPS), C(MPI_ISCAN_OPS)}},
    {B(NEIGHBORS), {C(MPI_NEIGHBOR_OPS), C(MPI_INEIGHBOR_OPS)}},
    {B(COLLECTIVE_BYTES),
     {C(MPI_ONE_TO_ALL_BYTES), C(MPI_ALL_TO_ONE_BYTES), C(MPI_ALL_TO_ALL_BYTES), C(MPI_SCAN_BYTES),
      C(MPI_NEIGHBOR_BYTES), C(MPI_IONE_TO_ALL_BYTES), C(MPI_IALL_TO_ONE_BYTES),
      C(MPI_IALL_TO_ALL_BYTES), C(MPI_ISCAN_BYTES), C(CCL_ONE_TO_ALL_BYTES),
      C(CCL_ALL_TO_ONE_BYTES), C(CCL_ALL_TO_ALL_BYTES)}},
    {B(RMA_OPS), {C(MPI_PUT_OPS), C(MPI_GET_OPS), C(MPI_ACCUMULATE_OPS)}},
    {B(RMA_BYTES), {C(MPI_PUT_BYTES), C(MPI_GET_BYTES), C(MPI_ACCUMULATE_BYTES)}},
    {B(MPIIO_OPS),
     {C(MPIIO_OPEN_OPS), C(MPIIO_READ_OPS), C(MPIIO_READ_ALL_OPS), C(MPIIO_READ_SHARED_OPS),
      C(MPIIO_READ_SPLIT_OPS), C(MPIIO_WRITE_OPS), C(MPIIO_WRITE_ALL_OPS),
      C(MPIIO_WRITE_SHARED_OPS), C(MPIIO_WRITE_SPLIT_OPS)}},
    {B(MPIIO_BYTES),
     {C(MPIIO_READ_BYTES), C(MPIIO_READ_ALL_BYTES), C(MPIIO_READ_SHARED_BYTES),
      C(MPIIO_READ_SPLIT_BYTES), C(MPIIO_WRITE_BYTES), C(MPIIO_WRITE_ALL_BYTES),
      C(MPIIO_WRITE_SHARED_BYTES), C(MPIIO_WRITE_SPLIT_BYTES)}},
    {B(MPI_NS), {C(STATE_P2P_NS), C(STATE_COLLECTIVE_NS), C(STATE_ONESIDED_NS), C(STATE_MPI_NS)}},
    {B(IO_NS), {C(STATE_IO_NS), C(STATE_MPIIO_NS)}},
    {B(WAIT_NS), {C(WAIT_MPI_NS)}},
    {B(OFFCPU_NS), {C(WAIT_OFFCPU_NS)}},
    {B(FLOPS), {C(PAPI_1_COUNT)}},
};

/* Of files: two cells each, in every mount. Cell 0 is posix_open_ops, so these lists have lengths. */
static const uint16_t file_cells[][2] = {
    {C(POSIX_OPEN_OPS), C(STDIO_OPEN_OPS)},     {C(POSIX_CLOSE_OPS), C(STDIO_CLOSE_OPS)},
    {C(POSIX_READ_OPS), C(STDIO_READ_OPS)},     {C(POSIX_WRITE_OPS), C(STDIO_WRITE_OPS)},
    {C(POSIX_READ_BYTES), C(STDIO_READ_BYTES)}, {C(POSIX_WRITE_BYTES), C(STDIO_WRITE_BYTES)},
};
#undef B
#undef C
#define FILE_FEATURES (sizeof file_cells / sizeof *file_cells)

static uint64_t before[JST_SEGMENT_BITS]; /* the sums when the segment began */
static uint64_t signature_before, cpu_before, set_before;
static uint64_t instructions_pending; /* as kinds_pending */
static const jst_block *ended_by;     /* thread that ended the last segment */
static uint64_t kinds_pending;        /* taken from the threads, and in no segment yet */
static bool set_known;                /* set_before is in the file */
static uint64_t entries, bytes_put;
static uint16_t tokens;

/* ---- features ---- */

static uint64_t sum_words(size_t offset)
{
    uint64_t sum = 0;
    uint32_t used = atomic_load(&jst_blocks);
    for (uint32_t i = 1; i < used; i++)
        sum += JST_LOAD(*(uint64_t *)((char *)jst_block_at(i) + offset));
    return sum;
}

/* Union over the threads, which begin again. */
static uint64_t take_kinds(void)
{
    uint64_t set = 0;
    uint32_t used = atomic_load(&jst_blocks);
    for (uint32_t i = 1; i < used; i++) {
        jst_block *b = jst_block_at(i);
        set |= JST_LOAD(b->kinds);
        JST_STORE(b->kinds, 0);
    }
    return set;
}

static void sum_features(uint64_t *sums)
{
    for (unsigned f = 0; f < sizeof process_features / sizeof *process_features; f++) {
        const feature *p = &process_features[f];
        sums[p->bit] = 0;
        for (unsigned i = 0; i < MOST_CELLS && p->cells[i]; i++)
            sums[p->bit] += jst_sum_cell(p->cells[i]);
    }
    for (unsigned f = 0; f < FILE_FEATURES; f++) {
        uint64_t sum = 0;
        for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++)
            if (atomic_load(&jst_a.head.mounts[mount].used) || mount == JST_MOUNT_SLOTS - 1)
                sum += jst_sum_cell(mount * JST_MOUNT_STRIDE + file_cells[f][0]) +
                       jst_sum_cell(mount * JST_MOUNT_STRIDE + file_cells[f][1]);
        sums[JST_SEGMENT_BIT_OPENS + f] = sum;
    }
}

/* Of the thread that ends segments; a collective library's threads do not compute, so there it is that of
 * all threads. */
static uint64_t cpu_ns(void)
{
    return jst_clock_ns(jst_segments_of_process ? CLOCK_PROCESS_CPUTIME_ID
                                                : CLOCK_THREAD_CPUTIME_ID);
}

void jst_features_begin(void)
{
    sum_features(before);
    take_kinds();
    kinds_pending = 0;
    signature_before = sum_words(offsetof(jst_block, signature));
    cpu_before = cpu_ns();
    set_known = false;
    (void)jst_gap_instructions();
    instructions_pending = 0;
    ended_by = jst_segment_owner;
}

/* Another file: its counters begin at zero and it has no tokens yet. */
void jst_features_new_part(void)
{
    jst_zero(before, sizeof before);
    signature_before = sum_words(offsetof(jst_block, signature));
    cpu_before = cpu_ns();
    kinds_pending = 0;
    set_known = false;
    tokens = 0;
    bytes_put = 0;
    entries = 0;
}

/* ---- encoding ---- */

static uint8_t *put_float(uint8_t *p, uint64_t ns)
{
    uint16_t code = jst_short_ns(ns);
    *p++ = (uint8_t)code;
    *p++ = (uint8_t)(code >> 8);
    return p;
}

static uint8_t bin_code(uint64_t ticks, uint64_t width)
{
    return (uint8_t)(ticks >= width ? 255 : (ticks * 255 + width / 2) / width);
}

static uint8_t *put_bins(uint8_t *p, const uint64_t *ticks, const jst_bins *bins)
{
    uint64_t width = jst_ns_to_ticks((uint64_t)JST_BIN_NS << bins->shift);
    unsigned n = JST_LOAD(bins->at) + 1;
    *p++ = (uint8_t)bins->shift;
    p = jst_put_varint(p, n);
    for (unsigned i = 0; i < n; i++)
        *p++ = bin_code(JST_LOAD(ticks[i]), width);
    return p;
}

/* Less than half a step of the coding in every bin: not written. */
static bool any_bin(const uint64_t *ticks, const jst_bins *bins)
{
    uint64_t width = jst_ns_to_ticks((uint64_t)JST_BIN_NS << bins->shift);
    for (unsigned i = 0; i <= bins->at; i++)
        if (JST_LOAD(ticks[i]) * 510 >= width)
            return true;
    return false;
}

static bool is_float(unsigned bit)
{
    return bit >= JST_SEGMENT_BIT_MPI_NS && bit <= JST_SEGMENT_BIT_OFFCPU_NS;
}

static uint8_t *put_segment(uint8_t *p, const jst_segment *s, const jst_bins *bins,
                            const uint64_t *grown, uint64_t set, uint32_t signature)
{
    uint64_t present = 0;
    for (unsigned i = JST_SEGMENT_BIT_SENDS; i < JST_SEGMENT_BIT_WAIT_BINS; i++)
        present |= (uint64_t)(grown[i] != 0) << i;
    present |= (uint64_t)(!set_known || set != set_before) << JST_SEGMENT_BIT_SET;
    present |= (uint64_t)any_bin(bins->wait, bins) << JST_SEGMENT_BIT_WAIT_BINS;
    present |= (uint64_t)any_bin(bins->off, bins) << JST_SEGMENT_BIT_OFFCPU_BINS;
    present |= (uint64_t)(s->occurrence != 0) << JST_SEGMENT_BIT_OCCURRENCE;
    p = jst_put_varint(p, s->end_ns - s->start_ns);
    *p++ = (uint8_t)((unsigned)s->rule | s->level << 3);
    p = jst_put_varint(p, s->site ? s->site->token : 0);
    p = jst_put_varint(p, s->globals);
    *p++ = (uint8_t)s->sequence;
    *p++ = (uint8_t)(s->sequence >> 8);
    for (unsigned i = 0; i < 4; i++)
        *p++ = (uint8_t)(signature >> 8 * i);
    p = jst_put_varint(p, present);
    if (present & 1ull << JST_SEGMENT_BIT_SET)
        for (unsigned i = 0; i < 8; i++)
            *p++ = (uint8_t)(set >> 8 * i);
    for (unsigned i = JST_SEGMENT_BIT_SENDS; i < JST_SEGMENT_BIT_WAIT_BINS; i++)
        if (grown[i])
            p = is_float(i) ? put_float(p, grown[i]) : jst_put_varint(p, grown[i]);
    if (present & 1ull << JST_SEGMENT_BIT_WAIT_BINS)
        p = put_bins(p, bins->wait, bins);
    if (present & 1ull << JST_SEGMENT_BIT_OFFCPU_BINS)
        p = put_bins(p, bins->off, bins);
    if (s->occurrence)
        p = jst_put_varint(p, s->occurrence);
    return p;
}

static uint8_t *put_token(uint8_t *p, const jst_site *s)
{
    const char *module;
    uint64_t offset = jst_site_offset(s->address, &module);
    p = jst_put_varint(p, s->token);
    for (unsigned i = 0; i < 4; i++)
        *p++ = (uint8_t)(s->hash >> 8 * i);
    p = jst_put_string(p, s->func, jst_strlen(s->func));
    p = jst_put_varint(p, s->bytes);
    p = jst_put_varint(p, offset);
    return jst_put_string(p, module, jst_strlen(module));
}

/* ---- the ring ---- */

/* `written` is raised after the bytes are in place, so readers see complete entries only. */
static bool put_entry(uint8_t type, const uint8_t *payload, size_t n)
{
    uint8_t head[24], *p = head;
    *p++ = type;
    p = jst_put_varint(p, entries);
    p = jst_put_varint(p, n);
    size_t size = (size_t)(p - head) + n;
    uint64_t at = atomic_load_explicit(&jst_a.ring.written, memory_order_relaxed);
    if (at - atomic_load(&jst_a.ring.drained) + size > RING / 2)
        jst_heartbeat_drain();
    if (at - atomic_load_explicit(&jst_a.ring.drained, memory_order_acquire) + size > RING)
        return false;
    for (size_t i = 0; i < size; i++)
        jst_a.ring.data[(at + i) % RING] =
            i < (size_t)(p - head) ? head[i] : payload[i - (size_t)(p - head)];
    atomic_store_explicit(&jst_a.ring.written, at + size, memory_order_release);
    entries++;
    bytes_put += size;
    return true;
}

/* The dictionary has an entry before the first segment that refers to it. */
static bool name_token(jst_site *s)
{
    uint8_t text[ENTRY_MOST];
    if (!s || s->token || tokens == UINT16_MAX)
        return true;
    s->token = (uint16_t)(tokens + 1);
    if (!put_entry(JST_STREAM_TOKEN, text, (size_t)(put_token(text, s) - text))) {
        s->token = 0;
        return false;
    }
    tokens++;
    return true;
}

uint64_t jst_segment_bytes(void)
{
    return bytes_put;
}

bool jst_segment_put(const jst_segment *s, const jst_bins *bins)
{
    static uint64_t sums[JST_SEGMENT_BITS], grown[JST_SEGMENT_BITS];
    uint8_t text[ENTRY_MOST];
    if (!name_token(s->site))
        return false;
    sum_features(sums);
    for (unsigned i = 0; i < JST_SEGMENT_BITS; i++)
        grown[i] = sums[i] - before[i];
    for (unsigned i = JST_SEGMENT_BIT_MPI_NS; i <= JST_SEGMENT_BIT_OFFCPU_NS; i++)
        grown[i] = jst_ticks_to_ns(grown[i]);
    uint64_t signature = sum_words(offsetof(jst_block, signature));
    uint64_t cpu = cpu_ns();
    grown[JST_SEGMENT_BIT_CPU_NS] = cpu > cpu_before ? cpu - cpu_before : 0;
    /* CPU time and instructions count only if the same thread ended the previous segment: else
     * the differences would cover another period. */
    bool same = ended_by == jst_segment_owner || jst_segments_of_process;
    grown[JST_SEGMENT_BIT_INSTRUCTIONS] = instructions_pending += jst_gap_instructions();
    if (!same)
        grown[JST_SEGMENT_BIT_INSTRUCTIONS] = grown[JST_SEGMENT_BIT_CPU_NS] = 0;
    uint64_t set = kinds_pending |= take_kinds();
    uint8_t *end = put_segment(text, s, bins, grown, set, (uint32_t)(signature - signature_before));
    if (!put_entry(JST_STREAM_SEGMENT, text, (size_t)(end - text)))
        return false;
    jst_copy(before, sums, sizeof before);
    signature_before = signature;
    cpu_before = cpu;
    instructions_pending = 0;
    ended_by = jst_segment_owner;
    set_before = set;
    kinds_pending = 0;
    set_known = true;
    return true;
}

/* ---- into records ---- */

void jst_segments_drain(int fd)
{
    JST_LARGE static uint8_t frame[RING + JST_FRAME_GAP + 8];
    if (atomic_load(&jst_a.head.mpi_state) == 0) /* no page of the ring is touched */
        return;
    uint64_t until = atomic_load_explicit(&jst_a.ring.written, memory_order_acquire);
    uint64_t from = atomic_load_explicit(&jst_a.ring.drained, memory_order_relaxed);
    uint64_t n = until - from;
    if (n == 0 || n > RING)
        return;
    for (uint64_t i = 0; i < n; i++)
        frame[JST_FRAME_GAP + i] = jst_a.ring.data[(from + i) % RING];
    if (jst_append(fd, JST_RECORD_SEGMENTS, frame, n))
        atomic_store_explicit(&jst_a.ring.drained, until, memory_order_release);
}
