/* jst_decode_head.c: the header of a profile (*.jst): fixed fields, table, the commit and what the
 * blocks have beyond it. */
#include "jst_decode_parts.h"

#define PATIENCE 16 /* readings of a header that changes meanwhile */

bool jst_head_holds(const jst_job *j, uint64_t offset, uint64_t bytes)
{
    uint64_t end = JST_HEADER(j, head_bytes);
    return offset >= JST_DECODE_HEAD_BYTES && offset <= end && bytes <= end - offset;
}

/* Four numbers at once, since each multiplication takes a few cycles. */
static void add_to_sum(uint64_t sum[4], const uint8_t *head, size_t from, size_t to)
{
    for (size_t at = from; at + 8 <= to; at += 8) {
        uint64_t *s = &sum[at / 8 % 4];
        *s = (*s ^ jst_load64(head + at)) * UINT64_C(0x9e3779b97f4a7c15);
        *s ^= *s >> 32;
    }
}

static uint64_t one_sum(uint64_t sum[4])
{
    for (unsigned i = 1; i < 4; i++)
        sum[0] = (sum[0] ^ sum[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return sum[0] ^ sum[0] >> 32;
}

uint64_t jst_head_sum(const uint8_t *head)
{
    uint64_t sum[4] = {1, 2, 3, 4};
    add_to_sum(sum, head, 0, JST_AT(generation));
    add_to_sum(sum, head, JST_AT(mounts), JST_AT(traffic_slice));
    add_to_sum(sum, head, JST_AT(gpus_used), JST_DECODE_HEAD_BYTES);
    return one_sum(sum);
}

uint64_t jst_head_fixed_sum(const uint8_t *head)
{
    uint64_t sum[4] = {1, 2, 3, 4};
    add_to_sum(sum, head, 0, JST_AT(mpi_state));
    return one_sum(sum);
}

static const char *head_flaw(const jst_job *j)
{
    uint64_t cells = JST_HEADER(j, cell_count);
    if (JST_HEADER(j, version) == 0 || JST_HEADER(j, version) > JST_FORMAT_VERSION)
        return "its format version is neither 1 nor 2: a newer jostle wrote it";
    if (JST_HEADER(j, head_bytes) > j->s->size)
        return "the file ends inside its header: it was cut short";
    if (cells == 0 || cells > JST_DECODE_CELLS_MAX)
        return "the number of cells is out of bounds";
    if (JST_HEADER(j, block_bytes) < offsetof(jst_block, cells) + 8 * cells ||
        !jst_head_holds(j, JST_HEADER(j, block_offset),
                        (uint64_t)JST_HEADER(j, block_bytes) * JST_HEADER(j, block_capacity)))
        return "the counter blocks are not inside the header";
    if (JST_HEADER(j, commit_bytes) < offsetof(jst_commit, base) + 8 * cells ||
        !jst_head_holds(j, JST_HEADER(j, commit_offset), 2 * (uint64_t)JST_HEADER(j, commit_bytes)))
        return "the commits are not inside the header";
    if (JST_HEADER(j, table_bytes) > JST_DECODE_TABLE_MAX ||
        !jst_head_holds(j, JST_HEADER(j, table_offset), JST_HEADER(j, table_bytes)))
        return "the metric table is not inside the header";
    if (JST_HEADER(j, slice_ns) == 0)
        return "the slice length is zero";
    return NULL;
}

bool jst_head_read(jst_job *j)
{
    jst_source_forget(j->s);
    const uint8_t *p = jst_source_at(j->s, 0, JST_DECODE_HEAD_BYTES);
    if (p == NULL) {
        jst_refuse(j, j->s->size, "the file ends inside its header: it was cut short");
        return false;
    }
    memcpy(j->r->head, p, JST_DECODE_HEAD_BYTES);
    const char *flaw = head_flaw(j);
    if (flaw != NULL)
        jst_refuse(j, 0, flaw);
    return flaw == NULL;
}

/* The live fields, and those of MPI, as they are now. The others stay as they were checked: a
 * hostile owner could change them meanwhile. */
static bool read_live(jst_job *j)
{
    uint8_t *head = j->r->head;
    jst_source_forget(j->s);
    const uint8_t *p = jst_source_at(j->s, 0, JST_DECODE_HEAD_BYTES);
    if (p == NULL)
        return false;
    memcpy(head + JST_AT(mpi_state), p + JST_AT(mpi_state),
           JST_AT(ring_offset) - JST_AT(mpi_state));
    memcpy(head + JST_AT(generation), p + JST_AT(generation),
           JST_DECODE_HEAD_BYTES - JST_AT(generation));
    return true;
}

bool jst_head_table(jst_job *j)
{
    jst_table *t = &j->d->table;
    jst_table shape = {.cell_count = JST_HEADER(j, cell_count),
                       .slots = JST_HEADER(j, mount_slots),
                       .stride = JST_HEADER(j, mount_stride),
                       .text_bytes = JST_HEADER(j, table_bytes)};
    uint32_t at = JST_HEADER(j, table_offset);
    const uint8_t *text = jst_source_at(j->s, at, shape.text_bytes);
    const char *wrong = "the metric table cannot be read";
    if (text != NULL && jst_table_is(t, &shape, text)) {
        wrong = t->crc == JST_HEADER(j, table_crc) ? NULL : "the metric table fails its checksum";
    } else if (text != NULL) {
        jst_table_free(t);
        wrong = jst_table_read(t, &shape, text, j->d);
        if (wrong == NULL && t->crc != JST_HEADER(j, table_crc))
            wrong = "the metric table fails its checksum";
        if (wrong != NULL)
            jst_table_free(t);
    }
    if (wrong == NULL && !jst_decode_scratch(j->d, t->cell_count))
        wrong = "out of memory";
    if (wrong != NULL)
        jst_refuse(j, at, wrong);
    return wrong == NULL;
}

/* A block whose thread is inside a call has the state timer that it will add to, and since when.
 * The part of it until the last heartbeat belongs to the last slice: the records may have it. */
static void add_in_progress(jst_job *j, const uint8_t *block, uint32_t cells)
{
    uint32_t mark = jst_load32(block + offsetof(jst_block, mark));
    uint64_t since = jst_load64(block + offsetof(jst_block, since)), now = JST_HEADER(j, tick_now);
    if (mark != 0 && mark < cells && j->d->table.cells[mark].timer && since < now)
        j->d->sums[mark] += now - since;
}

static void not_before(jst_job *j, uint64_t from_ns, uint64_t ticks)
{
    uint64_t ns = from_ns + jst_ns_of_ticks(ticks, JST_HEADER(j, tick_ns));
    if (ns >= from_ns && ns > j->newest_ns)
        j->newest_ns = ns;
}

/* RATIONALE: of a process that was killed the heartbeat's last tick is up to a second old, and in the
 * first second there was none. But each call stores the time of its beginning in the block. Before
 * the first tick that may be the only call; a thread is in one state at a time, so the process has
 * lived at least as long as the sum of its states. */
static void look_at_times(jst_job *j, const uint8_t *block, uint32_t cells)
{
    uint64_t since = jst_load64(block + offsetof(jst_block, since)), busy = 0,
             now = JST_HEADER(j, tick_now);
    if (now == 0) /* unknown */
        return;
    if (since > now)
        not_before(j, JST_HEADER(j, heartbeat_ns), since - now);
    if (JST_HEADER(j, heartbeat_ns) > JST_HEADER(j, file_ns))
        return;
    for (uint32_t i = 0; i < cells; i++)
        if (j->d->table.cells[i].state)
            busy += jst_load64(block + offsetof(jst_block, cells) + 8 * (size_t)i);
    not_before(j, JST_HEADER(j, start_ns), busy);
}

/* d->sums = sum over the blocks minus the commit. */
static bool sum_blocks(jst_job *j, uint64_t commit_at)
{
    uint32_t cells = JST_HEADER(j, cell_count), bytes = JST_HEADER(j, block_bytes);
    uint32_t used = JST_HEADER(j, blocks_used), capacity = JST_HEADER(j, block_capacity);
    uint64_t *sums = j->d->sums;
    const uint8_t *p =
        jst_source_at(j->s, commit_at + offsetof(jst_commit, base), 8 * (uint64_t)cells);
    if (p == NULL)
        return false;
    for (uint32_t i = 0; i < cells; i++)
        sums[i] = 0 - jst_load64(p + 8 * (size_t)i);
    j->newest_ns = JST_HEADER(j, heartbeat_ns);
    for (uint32_t b = 0; b < (used < capacity ? used : capacity); b++) {
        uint64_t at = JST_HEADER(j, block_offset) + (uint64_t)b * bytes;
        if ((p = jst_source_at(j->s, at, offsetof(jst_block, cells) + 8 * (uint64_t)cells)) == NULL)
            return false;
        add_in_progress(j, p, cells);
        look_at_times(j, p, cells);
        p += offsetof(jst_block, cells);
        for (uint32_t i = 0; i < cells; i++)
            sums[i] += jst_load64(p + 8 * (size_t)i);
    }
    return true;
}

/* d->committed = the gauges in a commit: their levels after its last record. */
static bool committed_levels(jst_job *j, uint64_t commit_at)
{
    const jst_table *t = &j->d->table;
    for (uint32_t i = 0; i < t->gauge_count; i++) {
        const uint8_t *p = jst_source_at(
            j->s, commit_at + offsetof(jst_commit, base) + 8 * (uint64_t)t->gauges[i], 8);
        if (p == NULL)
            return false;
        j->d->committed[t->gauges[i]] = jst_load64(p);
    }
    return true;
}

/* RATIONALE: the process may write while we read. It fills the commit that is not valid and then
 * increments the generation, so a commit (and the blocks read after it) is whole when the
 * generation is the same before and after. */
void jst_commit_read(jst_job *j, jst_commit_view *c)
{
    for (int attempt = 0; attempt < PATIENCE && read_live(j); attempt++) {
        uint64_t generation = JST_HEADER(j, generation);
        uint64_t at = JST_HEADER(j, commit_offset) + (generation & 1) * JST_HEADER(j, commit_bytes);
        const uint8_t *p = jst_source_at(j->s, at, 16);
        if (p == NULL)
            break;
        *c = (jst_commit_view){.records_end = jst_load64(p), .open_slice = jst_load64(p + 8)};
        bool summed =
            (j->flags & JST_DECODE_SEGMENTS) != 0 ||
            (committed_levels(j, at) && (!(j->flags & JST_DECODE_REMAINDER) || sum_blocks(j, at)));
        jst_source_forget(j->s);
        p = jst_source_at(j->s, JST_AT(generation), 8);
        if (p == NULL)
            break;
        if (jst_load64(p) == generation) {
            c->whole = summed;
            break;
        }
    }
    if (!c->whole)
        jst_warn(j, JST_HEADER(j, commit_offset), "the header changes faster than it can be read");
    if (c->records_end < JST_HEADER(j, head_bytes)) {
        jst_warn(j, JST_HEADER(j, commit_offset),
                 "the commit is damaged: records are taken as far "
                 "as their checksums hold");
        *c = (jst_commit_view){.records_end = j->s->size, .damaged = true};
    } else if (c->records_end > j->s->size && c->records_end > jst_source_grown(j->s)) {
        jst_warn(j, j->s->size, "the file was cut short: records are missing at its end");
        c->records_end = j->s->size;
        c->cut = true;
    }
}
