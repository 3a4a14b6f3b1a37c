/* gpu.c: transfers, launches and waits of the GPU, as reported by a recorder (include/jst_gpu.h).
 *
 * The vendor's library delivers its records at any time. So that they are in the right slice, the
 * heartbeat requests them at each boundary and waits a moment; the part of a transfer after the
 * boundary is kept for the next slice. Later records are counted in the slice in which they arrive.
 *
 * RATIONALE: the heartbeat cannot call CUPTI itself, as it has no libc. The thread that does
 * belongs to the recorder; the two communicate by two words.
 */
#include <errno.h>
#include <linux/futex.h>

#include "../../include/jst_gpu.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "heartbeat.h"
#include "modules/gpu.h"
#include "modules/gpu_devices.h"
#include "modules/modules.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#define MOST_MARGIN_NS 20000000
#define NOTE_BYTES 256

/* The numbers of a GPU, in the order of its place in the profile's header: three of each transfer,
 * one of each event, the busy time. The process has a cell for the sum of each. */
enum { OPS, BYTES, NS, PER_TRANSFER };
#define EVENT_WORD(event) (JST_GPU_TRANSFER_COUNT * PER_TRANSFER + (event))
#define BUSY_WORD EVENT_WORD(JST_GPU_EVENT_COUNT)
#define WORDS (BUSY_WORD + 1)
_Static_assert(WORDS * 8 <= sizeof((jst_gpu *)0)->words, "the words of a place");

static const uint16_t cell_of[WORDS] = {
#define CELLS(name)                                                                                \
    JST_CELL_GPU_##name##_OPS, JST_CELL_GPU_##name##_BYTES, JST_CELL_GPU_##name##_NS,
    JST_GPU_TRANSFERS(CELLS)
#undef CELLS
        JST_CELL_GPU_LAUNCH_OPS,
    JST_CELL_GPU_GRAPH_OPS,
    JST_CELL_GPU_LOST_OPS,
    JST_CELL_GPU_BUSY_NS,
};

/* Values of slices that are not open yet, by number; last, those of GPUs without a place. Where the
 * heartbeat is late, a record spans two slices, and later values belong to the third. */
#define LATER 4u
JST_LARGE static _Atomic uint64_t later[LATER][JST_GPUS + 1][WORDS];
static _Atomic bool owing; /* there may be some */
static const jst_gpu_recorder *recorder;
static _Atomic uint32_t joined; /* pid of the process that the recorder has joined */
static _Atomic uint32_t taken;  /* the program has called CUPTI itself, and needs it exclusively */
static _Atomic uint32_t shared; /* the recorder allows other subscribers */
static _Atomic uint32_t wanted, answered;
enum { NOTE_FREE, NOTE_BEING_WRITTEN, NOTE_READY };
static _Atomic uint32_t note_state;
static char note_text[NOTE_BYTES];

/* ---- called by the recorder ---- */

static uint64_t open_slice(void)
{
    const jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    return JST_LOAD(c->open_slice);
}

/* Adds to the numbers of the process and of the GPU. Several threads may add to a GPU's words. */
static void book(jst_block *b, unsigned device, unsigned word, uint64_t n)
{
    jst_add(&b->cells[cell_of[word]], n);
    if (device < JST_GPUS)
        atomic_fetch_add_explicit((_Atomic uint64_t *)&jst_a.gpus[device].words[word], n,
                                  memory_order_relaxed);
}

/* Does it end after the open slice? Then `after` is the part of it that lies there. Without a heartbeat (stopped for
 * a sandbox, or refused) no further slice opens to which it could belong. The open slice is looked up once: the
 * next one may open meanwhile. */
static bool is_after(uint64_t begin_ns, uint64_t end_ns, uint64_t *after)
{
    uint64_t until = (open_slice() + 1) * jst_cfg.slice_ns;
    bool is = atomic_load(&jst_state) == JST_RUNNING && end_ns > until && jst_heartbeat_runs();
    *after = is && end_ns > begin_ns ? end_ns - (begin_ns < until ? until : begin_ns) : 0;
    return is;
}

static _Atomic uint64_t *words_later(unsigned device, uint64_t at_ns)
{
    atomic_store(&owing, true);
    return later[at_ns / jst_cfg.slice_ns % LATER][device < JST_GPUS ? device : JST_GPUS];
}

static void transfer(unsigned device, unsigned kind, uint64_t bytes, uint64_t begin_ns,
                     uint64_t end_ns)
{
    jst_block *b = jst_enter();
    if (!b || kind >= JST_GPU_TRANSFER_COUNT)
        return;
    if (device >= jst_gpus_used())
        device = JST_GPUS;
    unsigned first = kind * PER_TRANSFER;
    uint64_t ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
    uint64_t after, bytes_after = 0, ops_after = 0;
    if (is_after(begin_ns, end_ns, &after)) { /* an operation counts where it ends */
        bytes_after = ns ? (uint64_t)((unsigned __int128)bytes * after / ns) : bytes;
        ops_after = 1;
        _Atomic uint64_t *to = words_later(device, end_ns) + first;
        atomic_fetch_add(&to[OPS], 1);
        atomic_fetch_add(&to[BYTES], bytes_after);
        atomic_fetch_add(&to[NS], after);
    }
    book(b, device, first + OPS, 1 - ops_after);
    book(b, device, first + BYTES, bytes - bytes_after);
    book(b, device, first + NS, ns - after);
}

static void busy(unsigned device, uint64_t begin_ns, uint64_t end_ns)
{
    jst_block *b = jst_enter();
    if (!b || end_ns <= begin_ns)
        return;
    if (device >= jst_gpus_used())
        device = JST_GPUS;
    uint64_t after;
    if (is_after(begin_ns, end_ns, &after))
        atomic_fetch_add(words_later(device, end_ns) + BUSY_WORD, after);
    book(b, device, BUSY_WORD, end_ns - begin_ns - after);
}

static void count(unsigned device, unsigned event, uint64_t n)
{
    jst_block *b = jst_enter();
    if (b && event < JST_GPU_EVENT_COUNT)
        book(b, device < jst_gpus_used() ? device : JST_GPUS, EVENT_WORD(event), n);
}

/* As jst_mark_io (files/io.h): inside an MPI call the MPI's mark is kept. */
static uint64_t wait_begin(void)
{
    jst_block *b = jst_enter();
    uint64_t t = jst_ticks();
    if (b && (b->mark == 0 || b->mark == JST_CELL_GPU_WAIT_NS)) {
        JST_STORE(b->since, t);
        JST_STORE(b->mark, JST_CELL_GPU_WAIT_NS);
    }
    return t;
}

static void wait_end(uint64_t since)
{
    jst_block *b = jst_enter();
    if (!b)
        return;
    uint64_t ticks = b->mark != 0 ? jst_ticks() - since : 0; /* none: ended already (left.c) */
    if (b->mark == JST_CELL_GPU_WAIT_NS) {
        atomic_signal_fence(memory_order_seq_cst);
        JST_STORE(b->mark, 0);
        atomic_signal_fence(memory_order_seq_cst);
    }
    jst_add(&b->cells[JST_CELL_GPU_WAIT_NS], ticks);
    jst_add(&b->cells[JST_CELL_GPU_WAIT_OPS], 1);
}

static void note(const char *text)
{
    uint32_t nobody = NOTE_FREE;
    if (!atomic_compare_exchange_strong(&note_state, &nobody, NOTE_BEING_WRITTEN))
        return;
    jst_put_text(note_text, note_text + sizeof note_text, text);
    atomic_store(&note_state, NOTE_READY);
}

/* Time before the end of a slice at which records are requested, and after it, for which the
 * heartbeat waits. CUPTI keeps a buffer back while one record in it is incomplete, but closes it:
 * only the records between the two requests may be missing. */
static uint64_t margin_ns(void)
{
    uint64_t part = jst_cfg.slice_ns / 20;
    return part < MOST_MARGIN_NS ? part : MOST_MARGIN_NS;
}

static uint32_t await(uint32_t last)
{
    uint64_t now = jst_clock_ns(CLOCK_REALTIME), margin = margin_ns();
    uint64_t due = (now + margin) / jst_cfg.slice_ns * jst_cfg.slice_ns + jst_cfg.slice_ns - margin;
    struct timespec at = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
    uint32_t request;
    while ((request = atomic_load(&wanted)) == last)
        if (jst_futex(&wanted, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, last, &at,
                      FUTEX_BITSET_MATCH_ANY) == -ETIMEDOUT)
            break;
    return request;
}

static void answer(uint32_t request)
{
    atomic_store(&answered, request);
    jst_futex(&answered, FUTEX_WAKE, 1, NULL, 0);
}

static void shares(void)
{
    atomic_store(&shared, 1);
}

static void over(void)
{
    atomic_store(&joined, 0);
}

JST_EXPORT const jst_gpu_host *jst_gpu_join(const jst_gpu_recorder *who);

JST_EXPORT const jst_gpu_host *jst_gpu_join(const jst_gpu_recorder *who)
{
    static jst_gpu_host host;
    if (!jst_enter() || !jst_may_syscall() || who->interface != JST_GPU_INTERFACE ||
        who->size != sizeof *who || atomic_load(&joined) == (uint32_t)jst_getpid())
        return NULL;
    jst_start(); /* a process that computes on a GPU gets a profile */
    host = (jst_gpu_host){
        .interface = JST_GPU_INTERFACE,
        .size = sizeof host,
        .taken = atomic_load(&taken) != 0,
        .shares = shares,
        .device = jst_gpu_number,
        .transfer = transfer,
        .count = count,
        .busy = busy,
        .wait_begin = wait_begin,
        .wait_end = wait_end,
        .note = note,
        .await = await,
        .answer = answer,
        .over = over,
    };
    recorder = who;
    atomic_store(&joined, (uint32_t)jst_getpid());
    return &host;
}

/* ---- called by the program's wrappers ---- */

/* A forked child has no access to its parent's GPU context, and its parent's recorder has no thread
 * there. */
void jst_gpu_yield(bool with_others)
{
    uint32_t pid = jst_may_syscall() ? (uint32_t)jst_getpid() : 0;
    bool records = pid && atomic_load(&joined) == pid;
    if (with_others && (!records || atomic_load(&shared)))
        return;
    atomic_store(&taken, 1);
    if (records)
        recorder->yield();
}

/* ---- called by the heartbeat ---- */

static void take_later(jst_block *b, uint64_t slice)
{
    unsigned used = jst_gpus_used();
    for (unsigned device = 0; device <= JST_GPUS && atomic_load(&owing); device++) {
        if (device >= used && device < JST_GPUS)
            continue;
        for (unsigned word = 0; word < WORDS; word++)
            if (atomic_load(&later[slice % LATER][device][word]))
                book(b, device, word, atomic_exchange(&later[slice % LATER][device][word], 0));
    }
}

/* Requests all records, and waits for them except at a check. */
static void ask(enum jst_occasion occasion)
{
    uint32_t before = atomic_load(&wanted), request = before + 1;
    bool prompt = atomic_load(&answered) == before; /* else no second wait */
    atomic_store(&wanted, request);
    jst_futex(&wanted, FUTEX_WAKE, 1, NULL, 0);
    uint64_t until = jst_clock_ns(CLOCK_MONOTONIC) + margin_ns(), now;
    for (uint32_t seen; occasion != JST_AT_LOOK && prompt;) {
        if ((seen = atomic_load(&answered)) == request ||
            (now = jst_clock_ns(CLOCK_MONOTONIC)) >= until)
            break;
        struct timespec left = {0, (long)(until - now)};
        jst_futex(&answered, FUTEX_WAIT, seen, &left, 0);
    }
}

void jst_module_gpu_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    if (!atomic_load(&owing) && atomic_load(&joined) == 0) /* no GPU, as in most processes */
        return;
    if (atomic_load(&joined) != 0)
        ask(occasion);
    /* Of the slices that the record may span; at the end of all. */
    uint64_t open = open_slice(), now = now_ns / jst_cfg.slice_ns;
    uint64_t end = occasion == JST_AT_END ? open + LATER : now > open ? now : open + 1;
    for (uint64_t slice = open; slice < end && slice < open + LATER; slice++)
        take_later(b, slice);
}

const char *jst_module_gpu_missing(bool ending)
{
    static char text[NOTE_BYTES]; /* until the next request */
    (void)ending;
    if (atomic_load(&note_state) != NOTE_READY)
        return NULL;
    jst_copy(text, note_text, sizeof text);
    atomic_store(&note_state, NOTE_FREE);
    return text;
}

void jst_module_gpu_child(void)
{
    atomic_store(&joined, 0);
    atomic_store(&shared, 0);
    atomic_store(&note_state, NOTE_FREE);
    if (atomic_exchange(&owing, false))
        jst_zero(later, sizeof later);
    jst_gpus_child();
}
