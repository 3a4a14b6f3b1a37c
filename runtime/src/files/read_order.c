/* read_order.c: handles reads that do not begin where the previous one ended (read_order.h). */
#include "read_order.h"
#include "access.h"
#include "block.h"
#include "common.h"
#include "mount.h"

#define FEW 8     /* irregular jumps: so many are always counted */
#define MANY 0xff /* in ahead: they are counted as they come */

JST_LARGE jst_read_order jst_read_orders[JST_FDS];

_Static_assert(sizeof(jst_read_order) == 128, "two cache lines");

/* One more in a ring of so many places: the next place is the count modulo their number. */
static uint8_t one_more(uint8_t count, unsigned places)
{
    return (uint8_t)(count + 1u < 2 * places ? count + 1u : places);
}

static bool among(const uint64_t *last, uint64_t value, unsigned count, unsigned places)
{
    for (unsigned i = 0; i < places && i < count; i++)
        if (JST_LOAD(last[i]) == value)
            return true;
    return false;
}

/* jumps: including the current run, which is in the rings already. */
static enum jst_read_kind kind_of(const jst_read_order *o, uint64_t at, uint64_t stride,
                                  unsigned jumps)
{
    if (among(o->begins, at, jumps, JST_RUNS))
        return JST_READ_RETURN;
    if (among(o->ends, at, jumps, JST_RUNS))
        return JST_READ_GOES_ON;
    if (among(o->strides, stride, JST_LOAD(o->distances), JST_STRIDES))
        return JST_READ_REGULAR;
    return at > jst_read_end(o) ? JST_READ_AHEAD : JST_READ_BACK;
}

static void count_irregular(uint64_t *cells, uint64_t ahead, uint64_t back, uint64_t bytes)
{
    jst_add(&cells[JST_CELL_ACCESS_READ_AHEAD_OPS], ahead);
    jst_add(&cells[JST_CELL_ACCESS_READ_BACK_OPS], back);
    jst_add(&cells[JST_CELL_ACCESS_READ_JUMP_BYTES], bytes);
}

/* Counts the waiting jumps, except one with half of their bytes. */
static void count_waiting(uint64_t *cells, const jst_read_order *o)
{
    uint64_t all = JST_LOAD(o->waiting), longest = JST_LOAD(o->longest);
    uint8_t ahead = JST_LOAD(o->ahead), back = JST_LOAD(o->back);
    bool data = longest >= all / 2;
    bool of_ahead = data && ahead > 0;
    count_irregular(cells, ahead - of_ahead, back - (data && !of_ahead),
                    data ? all - longest : all);
}

static void irregular(uint64_t *cells, jst_read_order *o, bool ahead, uint64_t bytes)
{
    uint8_t waiting = JST_LOAD(o->ahead);
    if (waiting == MANY) {
        count_irregular(cells, ahead, !ahead, bytes);
        return;
    }
    uint8_t back = JST_LOAD(o->back);
    waiting = (uint8_t)(waiting + ahead);
    back = (uint8_t)(back + !ahead);
    JST_STORE(o->ahead, waiting);
    JST_STORE(o->back, back);
    JST_STORE(o->waiting, JST_LOAD(o->waiting) + bytes);
    if (bytes > JST_LOAD(o->longest))
        JST_STORE(o->longest, bytes);
    if (waiting + back >= FEW) {
        count_waiting(cells, o);
        JST_STORE(o->ahead, MANY);
    }
}

static void count_run(jst_block *b, unsigned slot, jst_read_order *o, enum jst_read_kind kind,
                      uint64_t bytes)
{
    uint64_t *cells = jst_slot_cells(b, slot);
    if (kind >= JST_READ_AHEAD) {
        irregular(cells, o, kind == JST_READ_AHEAD, bytes);
    } else if (kind == JST_READ_REGULAR) {
        jst_add(&cells[JST_CELL_ACCESS_READ_STRIDE_OPS], 1);
        jst_add(&cells[JST_CELL_ACCESS_READ_STRIDE_BYTES], bytes);
    } else if (kind == JST_READ_RETURN) {
        jst_add(&cells[JST_CELL_ACCESS_READ_AGAIN_OPS], 1);
        jst_add(&cells[JST_CELL_ACCESS_READ_AGAIN_BYTES], bytes);
    }
}

static void jump(jst_block *b, unsigned slot, jst_read_order *o, uint64_t at)
{
    uint64_t begin = JST_LOAD(o->origin), end = jst_read_end(o), stride = at - begin;
    enum jst_read_kind kind = JST_LOAD(o->kind), counted = kind;
    uint8_t jumps = JST_LOAD(o->jumps), distances = JST_LOAD(o->distances);
    unsigned place = jumps % JST_RUNS;
    uint64_t last = begin - JST_LOAD(o->begins[(place + JST_RUNS - 1) % JST_RUNS]);
    JST_STORE(o->begins[place], begin);
    JST_STORE(o->ends[place], end);
    enum jst_read_kind next = kind_of(o, at, stride, jumps + 1u);
    if (kind >= JST_READ_AHEAD && next == JST_READ_REGULAR && stride == last)
        counted = JST_READ_REGULAR;
    else if (kind != JST_READ_FIRST && kind < JST_READ_AHEAD &&
             JST_LOAD(o->previous) >= JST_READ_AHEAD && next >= JST_READ_AHEAD)
        counted = last >> 63 ? JST_READ_BACK : JST_READ_AHEAD;
    count_run(b, slot, o, counted, end - begin);
    if (!among(o->strides, stride, distances, JST_STRIDES)) {
        JST_STORE(o->strides[distances % JST_STRIDES], stride);
        JST_STORE(o->distances, one_more(distances, JST_STRIDES));
    }
    JST_STORE(o->jumps, one_more(jumps, JST_RUNS));
    JST_STORE(o->previous, (uint8_t)counted);
    JST_STORE(o->kind, (uint8_t)next);
}

__attribute__((noinline)) void jst_read_elsewhere(jst_block *b, unsigned slot, int fd, uint64_t at,
                                                  uint64_t n, bool stays)
{
    jst_descriptor *d = &jst_descriptors[fd];
    jst_read_order *o = &jst_read_orders[fd];
    if (n == 0 || jst_tls_vfork)
        return;
    uint64_t end = jst_read_end(o), run = JST_LOAD(o->run), before = JST_LOAD(d->access.before);
    if (at != end && run) {
        jump(b, slot, o, at);
        run = 0;
    }
    JST_STORE(o->origin, at - run);
    JST_STORE(o->run, run + n);
    if (!stays) {
        before &= ~JST_ACCESS_READ_AWAY;
    } else if (!(before & JST_ACCESS_READ_AWAY)) {
        JST_STORE(d->read_offset, end);
        before |= JST_ACCESS_READ_AWAY;
    }
    JST_STORE(d->access.before, before);
}

void jst_read_ends(jst_block *b, unsigned slot, int fd)
{
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork)
        return;
    jst_read_order *o = &jst_read_orders[fd];
    uint64_t run = JST_LOAD(o->run);
    if (run == 0 || !jst_is_mount(slot))
        return;
    int source = jst_descriptors[fd].twin_of ? jst_access_source(fd) : -1;
    if (source >= 0) {
        jst_read_elsewhere(b, slot, source, JST_LOAD(o->origin), run, false);
        return;
    }
    jst_add(&jst_slot_cells(b, slot)[JST_CELL_ACCESS_READ_FILE_OPS], 1);
    if (JST_LIKELY(JST_LOAD(o->jumps) == 0))
        return;
    count_run(b, slot, o, JST_LOAD(o->kind), run);
    bool scattered = JST_LOAD(o->longest) < JST_LOAD(o->waiting) / 2;
    if (JST_LOAD(o->ahead) != MANY && scattered)
        count_waiting(jst_slot_cells(b, slot), o);
}

JST_COLD void jst_read_twin(int fd, int to)
{
    bool away = JST_LOAD(jst_descriptors[fd].access.before) & JST_ACCESS_READ_AWAY;
    JST_STORE(jst_read_orders[to].origin, away ? JST_LOAD(jst_descriptors[fd].read_offset)
                                               : jst_read_end(&jst_read_orders[fd]));
}

void jst_read_sought(int fd, uint64_t at, bool asked_only)
{
    jst_read_order *o = &jst_read_orders[fd];
    jst_descriptor *d = &jst_descriptors[fd];
    uint64_t before = JST_LOAD(d->access.before), end = jst_read_end(o);
    if (asked_only && !(before & JST_ACCESS_READ_AWAY)) {
        /* A file that was inherited or written did not begin at 0. */
        JST_STORE(o->origin, at - JST_LOAD(o->run));
    } else if (at == end) {
        JST_STORE(d->access.before, before & ~JST_ACCESS_READ_AWAY);
    } else {
        JST_STORE(d->read_offset, at);
        JST_STORE(d->access.before, before | JST_ACCESS_READ_AWAY);
    }
}

void jst_read_forget(int fd)
{
    jst_read_order *o = &jst_read_orders[fd];
    if (JST_LOAD(o->run) | JST_LOAD(o->origin)) {
        JST_STORE(o->origin, 0);
        JST_STORE(o->run, 0);
    }
    if (JST_UNLIKELY(JST_LOAD(o->jumps))) {
        JST_STORE(o->waiting, 0);
        JST_STORE(o->longest, 0);
        JST_STORE(o->ahead, 0);
        JST_STORE(o->back, 0);
        JST_STORE(o->kind, JST_READ_FIRST);
        JST_STORE(o->previous, JST_READ_FIRST);
        JST_STORE(o->jumps, 0);
        JST_STORE(o->distances, 0);
    }
}
