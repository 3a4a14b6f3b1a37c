/* segment.c: decides where execution segments end.
 *
 * A segment ends where a global collective (all-to-all-shaped, on all ranks) ends. Where these are
 * more frequent than one in 50 ms, one kind of them is chosen and every 2^j-th of it ends a segment,
 * so that consecutive segments have the same content; where they are rarer than the span, recurring
 * call sites subdivide (epochs). Ranks do not communicate: decisions by counts alone are made at
 * fixed counts, so they are the same everywhere; what depends on time is a power of two, so that
 * the boundaries of one rank are among those of another. The ingester verifies it.
 *
 * The shortest segment grows with the run (1/10 000 of it), which bounds their number:
 * 10 000 (1 + ln(T / 500 s)).
 *
 * One thread at a time runs here; another one that calls meanwhile leaves its boundary out.
 */
#include "segment.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "modules/papi.h"
#include "mpi_call_kinds.h"
#include "profile/area.h"
#include "segment_ring.h"
#include "sys.h"
#include "text.h"

#define SHORTEST_NS 50000000u
#define GROWTH 10000u          /* the shortest is at least the run's length over this */
#define BYTES_MOST (15u << 20) /* of segments in a profile */
#define FIRST_DECISION 16u     /* globals */
#define DECIDE_NS 1000000000u  /* and at multiples of 256 when this long ago */
#define SET_BACK_NS 1000000000u
#define THREAD_MULTIPLE 3u
#define HASTY 16u      /* segments that are too short, in a row: something has changed */
#define EPOCH_CALLS 4u /* recurrences that make a call site an epoch */

jst_block *jst_segment_owner;
bool jst_segments_of_process;
uint64_t jst_bin_begin, jst_bin_end = UINT64_MAX;
jst_bins jst_bins_now;
jst_site *jst_epoch_site;
uint64_t jst_epoch_mask;

static struct {
    uint64_t init_ns, start_ns;
    uint64_t globals, globals_at_start; /* ended so far; when the segment began */
    uint64_t hash;                      /* of the sequence of globals */
    bool dense;                         /* globals come too often to end a segment each */
    jst_site *chosen;                   /* then these do, every 2^level-th */
    unsigned level;
    unsigned overdue;                /* none of these has occurred for long: 1, or very long: 2 */
    unsigned hasty;                  /* segments in a row that are too short */
    uint64_t hasty_ns;               /* when the first of them began */
    uint64_t decided_at, decided_ns; /* globals and time */
    uint64_t looked_ns, looked_globals, look_for; /* epochs: window that began then, its length */
    unsigned epoch_level;
    unsigned coarser; /* the shortest is doubled so many times: space is short */
} seg;

static _Atomic uint32_t busy;

static bool hold(void)
{
    uint32_t no = 0;
    return atomic_compare_exchange_strong(&busy, &no, 1);
}

static void let_go(void)
{
    atomic_store_explicit(&busy, 0, memory_order_release);
}

/* A thread that counts a global collective must not give up, or this rank's sequence would
 * differ from the others'. Other threads hold the lock for microseconds; the heartbeat, when it
 * rewrites a removed profile, for as long as the disk takes. */
static bool hold_soon(void)
{
    struct timespec moment = {0, 50000};
    for (int i = 0; i < 1000; i++) {
        if (hold())
            return true;
        jst_sys0(SYS_sched_yield);
    }
    for (int i = 0; i < 10000; i++) {
        if (hold())
            return true;
        jst_sys2(SYS_nanosleep, &moment, NULL);
    }
    return false;
}

static void forget(void)
{
    JST_STORE(jst_bin_end, UINT64_MAX);
    JST_STORE(jst_epoch_site, NULL);
    JST_STORE(jst_segment_owner, NULL);
    jst_zero(&seg, sizeof seg);
}

bool jst_segments_hold(void)
{
    struct timespec moment = {0, 50000};
    for (int i = 0; i < 100; i++) {
        if (hold())
            return true;
        jst_sys2(SYS_nanosleep, &moment, NULL);
    }
    return false;
}

void jst_segments_let_go(void)
{
    let_go();
}

/* ---- bins ---- */

static uint64_t bin_width(void)
{
    return (uint64_t)JST_BIN_NS << JST_LOAD(jst_bins_now.shift);
}

/* Two neighbours, counted from the epoch, become one. */
static void widen_bins(void)
{
    jst_bins *n = &jst_bins_now;
    unsigned odd = n->first & 1;
    for (unsigned i = 0; i < JST_BINS; i++) {
        unsigned to = (i + odd) / 2;
        uint64_t wait = JST_LOAD(n->wait[i]), off = JST_LOAD(n->off[i]);
        JST_STORE(n->wait[i], 0);
        JST_STORE(n->off[i], 0);
        jst_bin_add(&n->wait[to], wait);
        jst_bin_add(&n->off[to], off);
    }
    JST_STORE(n->at, (n->at + odd) / 2);
    n->first /= 2;
    JST_STORE(n->shift, n->shift + 1);
}

static void place_bin(uint64_t now_ns, uint64_t now)
{
    uint64_t width = bin_width(), in = now_ns % width;
    JST_STORE(jst_bin_begin, now - jst_ns_to_ticks(in));
    JST_STORE(jst_bin_end, now + jst_ns_to_ticks(width - in));
}

static void begin_bins(uint64_t now_ns, uint64_t now)
{
    for (unsigned i = 0; i < JST_BINS; i++) {
        JST_STORE(jst_bins_now.wait[i], 0);
        JST_STORE(jst_bins_now.off[i], 0);
    }
    JST_STORE(jst_bins_now.at, 0);
    JST_STORE(jst_bins_now.shift, 0);
    jst_bins_now.first = now_ns / JST_BIN_NS;
    place_bin(now_ns, now);
}

/* amount, spread evenly over from..until (ticks, of which until is about now), is added to the bins
 * of the open segment; the part before it is dropped. */
void jst_bins_spread(uint64_t *to, uint64_t from, uint64_t until, uint64_t amount)
{
    uint64_t width = jst_ns_to_ticks(bin_width()), begin = JST_LOAD(jst_bin_begin), left = amount;
    double share = until > from ? (double)amount / (double)(until - from) : 0;
    for (unsigned i = JST_LOAD(jst_bins_now.at); left; begin -= width) {
        uint64_t low = from > begin ? from : begin;
        uint64_t part = until > low ? (uint64_t)((double)(until - low) * share) : 0;
        part = part < left ? part : left;
        if (from >= begin) /* the last of them: with the remainder of rounding */
            part = left;
        jst_bin_add(&to[i], part);
        left -= part;
        until = until < begin ? until : begin;
        if (i-- == 0 || from >= begin)
            break;
    }
}

static void look_for_epochs(uint64_t now_ns);
static void check_overdue(uint64_t now_ns);

JST_COLD void jst_bins_roll(jst_block *b, uint64_t now)
{
    jst_papi_sample(b);
    if (!hold())
        return;
    uint64_t now_ns = jst_clock_ns(CLOCK_REALTIME);
    uint64_t bin = now_ns / bin_width();
    while (bin >= jst_bins_now.first + JST_BINS && jst_bins_now.shift < 40) {
        widen_bins();
        bin = now_ns / bin_width();
    }
    if (bin >= jst_bins_now.first) /* else the clock went back: keep the current bin */
        JST_STORE(jst_bins_now.at, (unsigned)(bin - jst_bins_now.first));
    place_bin(now_ns, now);
    check_overdue(now_ns);
    look_for_epochs(now_ns);
    let_go();
}

/* ---- boundaries ---- */

static bool is_raw(void)
{
    return jst_cfg.segments == JST_SEGMENTS_RAW && seg.coarser == 0;
}

/* Raw segments get more space: enough for half a million. */
static uint64_t bytes_most(void)
{
    return jst_cfg.segments == JST_SEGMENTS_RAW ? 4 * BYTES_MOST : BYTES_MOST;
}

static uint64_t shortest(uint64_t now_ns)
{
    uint64_t grown = now_ns > seg.init_ns ? (now_ns - seg.init_ns) / GROWTH : 0;
    return (grown > SHORTEST_NS ? grown : SHORTEST_NS) << seg.coarser;
}

/* A program may become a thousand times faster from one call to the next; the regular decisions
 * would be too late. So if a segment is too short, its rule takes only every second call from now
 * on. */
static void note_haste(enum jst_segment_rule rule, uint64_t now_ns)
{
    if (now_ns - seg.start_ns >= shortest(now_ns) / 2) {
        seg.hasty = 0;
        return;
    }
    if (seg.hasty++ == 0)
        seg.hasty_ns = seg.start_ns;
    if (rule == JST_RULE_COALESCED && seg.level < 31)
        seg.level++;
    if (rule == JST_RULE_EPOCH && seg.epoch_level < 31)
        JST_STORE(jst_epoch_mask, (1ull << ++seg.epoch_level) - 1);
}

/* A segment may be found to have ended a while ago: the content of later bins is added to the last
 * one that it has. */
static void end_bins(uint64_t end_ns)
{
    jst_bins *n = &jst_bins_now;
    uint64_t last = (end_ns - 1) / bin_width();
    unsigned at = last > n->first ? (unsigned)(last - n->first) : 0, open = JST_LOAD(n->at);
    if (at >= open)
        return;
    for (unsigned i = at + 1; i <= open; i++) {
        jst_bin_add(&n->wait[at], JST_LOAD(n->wait[i]));
        jst_bin_add(&n->off[at], JST_LOAD(n->off[i]));
    }
    JST_STORE(n->at, at);
}

static void end_segment(jst_block *b, enum jst_segment_rule rule, unsigned level, jst_site *site,
                        uint64_t occurrence, uint64_t now_ns, uint64_t now)
{
    if (now_ns <= seg.start_ns) { /* the clock was set back: continue from there, if far */
        if (now_ns + SET_BACK_NS < seg.start_ns) {
            seg.start_ns = now_ns;
            begin_bins(now_ns, now);
        }
        return;
    }
    jst_segment s = {
        .start_ns = seg.start_ns,
        .end_ns = now_ns,
        .rule = rule,
        .level = level,
        .site = site,
        .occurrence = occurrence,
        .globals = seg.globals - seg.globals_at_start,
        .sequence = (uint16_t)(seg.hash ^ seg.hash >> 16 ^ seg.hash >> 32),
    };
    JST_STORE(jst_segment_owner, b);
    jst_papi_boundary(b);
    end_bins(now_ns);
    if (!jst_segment_put(&s, &jst_bins_now))
        return;
    if (jst_segment_bytes() > bytes_most() - (bytes_most() >> (seg.coarser + 1)))
        seg.coarser++;
    note_haste(rule, now_ns);
    seg.start_ns = now_ns;
    seg.overdue = 0;
    seg.globals_at_start = seg.globals;
    begin_bins(now_ns, now);
}

/* Returns the smallest level such that 2^level periods last 1.5 times the required length; the
 * additional half is for periods shorter than the mean. */
static unsigned level_for(uint64_t period_ns, uint64_t least_ns)
{
    unsigned level = 0;
    while (level < 31 && (period_ns << level) < least_ns + least_ns / 2)
        level++;
    return level;
}

/* Returns how many calls of a kind (ends: global collectives that it ended) came since
 * look_anew. */
static uint64_t recent(const jst_site *s, bool ends)
{
    if (atomic_load_explicit(&s->key, memory_order_acquire) == 0)
        return 0;
    return ends ? s->ends - s->recent_ends : JST_LOAD(s->calls) - s->recent;
}

static void look_anew(bool ends)
{
    for (unsigned i = 0; i < JST_SITES; i++) {
        jst_site *s = &jst_sites[i];
        if (ends)
            s->recent_ends = s->ends;
        else
            s->recent = JST_LOAD(s->calls);
    }
}

/* Returns the rarest kind with at least `least` occurrences since look_anew. Counts that differ
 * by one are treated as equal, since the edges of the window are arbitrary; among equal ones the
 * smallest hash wins, so that all ranks choose the same kind. */
static jst_site *rarest(bool ends, uint64_t least)
{
    jst_site *best = NULL;
    uint64_t fewest = UINT64_MAX;
    for (unsigned i = 0; i < JST_SITES; i++) {
        uint64_t n = recent(&jst_sites[i], ends);
        if (n >= least && n < fewest)
            fewest = n;
    }
    for (unsigned i = 0; i < JST_SITES; i++) {
        jst_site *s = &jst_sites[i];
        uint64_t n = recent(s, ends);
        if (n >= least && n <= fewest + 1 && (!best || s->hash < best->hash))
            best = s;
    }
    return best;
}

/* What decides next time comes from now on. */
static void count_anew(uint64_t now_ns)
{
    seg.decided_at = seg.globals;
    seg.decided_ns = now_ns;
    look_anew(true);
}

/* Decides whether global collectives are too frequent for each of them to end a segment, and if
 * so, which kind does. Kinds rarer than one per span are excluded. A chosen kind that still
 * recurs is kept, except at milestones (powers of two). */
static void decide(bool milestone, uint64_t now_ns)
{
    if (now_ns <= seg.decided_ns) { /* the clock was set back: how often they come is not known */
        count_anew(now_ns);
        return;
    }
    uint64_t globals = seg.globals - seg.decided_at, time = now_ns - seg.decided_ns;
    uint64_t least = time / jst_cfg.segment_span_ns, least_ns = shortest(now_ns);
    least = least > 2 ? least : 2;
    bool anew = milestone || !seg.dense || !seg.chosen || recent(seg.chosen, true) < least;
    if (anew)
        seg.chosen = rarest(true, least);
    seg.dense = time / (globals ? globals : 1) < least_ns;
    if (seg.dense &&
        seg.chosen) { /* a level stays while it makes segments of one to four times least */
        uint64_t n = recent(seg.chosen, true), period = time / (n ? n : 1),
                 made = period << seg.level;
        if (anew || made < least_ns || made > 4 * least_ns)
            seg.level = level_for(period, least_ns);
    }
    count_anew(now_ns);
}

/* Called after a row of too short segments while every global collective ends one: until the
 * next decision, only this kind ends segments. */
static void be_dense(jst_site *s, uint64_t now_ns)
{
    seg.dense = true;
    seg.chosen = s;
    seg.level = level_for((now_ns - seg.hasty_ns) / seg.hasty + 1, shortest(now_ns));
}

/* Returns whether a global collective ends a segment. Sparse: each one does. Dense: every
 * 2^level-th of the chosen kind. If the chosen kind has not occurred for long (the program does
 * something else now), the next one of any kind ends the segment, and a kind is chosen again. */
static bool is_boundary(jst_site *s, uint64_t now_ns, enum jst_segment_rule *rule, unsigned *level)
{
    *rule = JST_RULE_EVERY;
    *level = 0;
    if (is_raw()) {
        *rule = JST_RULE_RAW;
        return true;
    }
    if (!seg.dense)
        return true;
    if (s == seg.chosen) {
        *rule = JST_RULE_COALESCED;
        *level = seg.level;
        return (s->ends & ((1ull << seg.level) - 1)) == 0;
    }
    /* At a round number, if one is near, so that all ranks take the same. */
    if (!seg.overdue || ((seg.globals & 63) && seg.overdue < 2))
        return false;
    decide(true, now_ns);
    return true;
}

/* Called when a bin ends: marks the segment as overdue if it is much longer than its rule should
 * make it. In a young run this is sooner, since the chosen kind may belong to the set-up and never
 * occur again. */
static void check_overdue(uint64_t now_ns)
{
    uint64_t least = 4 * shortest(now_ns), most = 2 * jst_cfg.segment_span_ns;
    uint64_t patience = now_ns > seg.init_ns ? (now_ns - seg.init_ns) / 8 : 0;
    patience = !seg.chosen || patience < least ? least : patience > most ? most : patience;
    uint64_t length = now_ns > seg.start_ns ? now_ns - seg.start_ns : 0;
    seg.overdue = length > 2 * patience ? 2 : length > patience;
}

/* When the collective ended: operations on a GPU are known only some time later. */
static uint64_t time_of(uint64_t now)
{
    uint64_t ticks = jst_ticks(), since = ticks > now ? jst_ticks_to_ns(ticks - now) : 0;
    return jst_clock_ns(CLOCK_REALTIME) - since;
}

/* RATIONALE: a function of its own, so that the path that 30 000 global collectives a second
 * take need not save registers. */
static JST_SLOW void look_at_global(jst_block *b, jst_site *s, uint64_t now)
{
    enum jst_segment_rule rule;
    unsigned level;
    uint64_t n = seg.globals, now_ns = time_of(now);
    bool milestone = n >= FIRST_DECISION && (n & (n - 1)) == 0;
    if (is_boundary(s, now_ns, &rule, &level))
        end_segment(b, rule, level, s, rule == JST_RULE_COALESCED ? s->ends : 0, now_ns, now);
    if (seg.hasty >= HASTY && !seg.dense && (n & (HASTY - 1)) == 0 && !is_raw())
        be_dense(s, now_ns);
    bool few = n - seg.decided_at < FIRST_DECISION / 2; /* too few to know a frequency */
    if ((milestone && !few) || ((n & 255) == 0 && now_ns - seg.decided_ns > DECIDE_NS))
        decide(milestone, now_ns);
    let_go();
}

/* Counts a global collective. Returns whether it may end a segment or needs a decision; if
 * collectives are frequent, most need neither, and the clock is not read for them. */
static inline bool count_global(const jst_mpi_call *c, jst_site *s, uint64_t bytes)
{
    uint64_t n = ++seg.globals, ends = ++s->ends;
    seg.hash = (seg.hash ^ s->func_hash) * 0x9e3779b97f4a7c15u;
    if (!(c->flags & JST_MPI_VARYING))
        seg.hash += bytes * 0xc2b2ae3d27d4eb4fu;
    /* The milestones are among the first 256 and the multiples of it. */
    if (JST_UNLIKELY(!seg.dense || !(n & 255) || n < 256 || seg.overdue || is_raw()))
        return true;
    return s == seg.chosen && (ends & ((1ull << seg.level) - 1)) == 0;
}

static JST_COLD void held_global(jst_block *b, const jst_mpi_call *c, jst_site *s, uint64_t bytes,
                                 uint64_t now)
{
    if (!hold_soon()) { /* the thread that holds it was killed there: no segments any more */
        forget();
        return;
    }
    if (count_global(c, s, bytes))
        look_at_global(b, s, now);
    else
        let_go();
}

static JST_SLOW void look_soon(jst_block *b, jst_site *s, uint64_t now)
{
    if (hold_soon())
        look_at_global(b, s, now);
    else
        forget();
}

void jst_segment_global(jst_block *b, const jst_mpi_call *c, jst_site *s, uint64_t bytes,
                        uint64_t now)
{
    if (JST_LOAD(jst_bin_end) == UINT64_MAX)
        return;
    /* Below MPI_THREAD_MULTIPLE no two threads run here at once, so no lock is taken: it would
     * make up a fifth of the time added to an Allreduce. The heartbeat, which may hold the lock,
     * does not access what count_global changes. */
    if (JST_UNLIKELY(jst_a.head.thread_level == THREAD_MULTIPLE))
        held_global(b, c, s, bytes, now);
    else if (JST_UNLIKELY(count_global(c, s, bytes)))
        look_soon(b, s, now);
}

/* ---- epochs ---- */

static void begin_window(uint64_t now_ns, uint64_t length)
{
    seg.look_for = length;
    seg.looked_ns = now_ns;
    seg.looked_globals = seg.globals;
    look_anew(false);
}

/* Checked when a bin ends. While globals are rarer than the span, the rarest kind of call that
 * recurs within a window cuts the gaps; the window doubles until one is found. One that still
 * recurs, and is almost as rare as the rarest, is kept. */
static void look_for_epochs(uint64_t now_ns)
{
    uint64_t span = jst_cfg.segment_span_ns;
    if (now_ns < seg.looked_ns) { /* the clock was set back: the window begins anew */
        begin_window(now_ns, span);
        return;
    }
    uint64_t window = now_ns - seg.looked_ns;
    if (window < seg.look_for)
        return;
    bool rare = (seg.globals - seg.looked_globals) * span < window;
    jst_site *best = rare ? rarest(false, EPOCH_CALLS) : NULL, *old = jst_epoch_site;
    if (best && old && recent(old, false) >= EPOCH_CALLS &&
        recent(old, false) / 2 <= recent(best, false))
        best = old;
    if (best) {
        uint64_t n = recent(best, false);
        seg.epoch_level = level_for(window / (n ? n : 1), shortest(now_ns));
        JST_STORE(jst_epoch_mask, (1ull << seg.epoch_level) - 1);
    }
    JST_STORE(jst_epoch_site, best);
    begin_window(now_ns, !rare ? span : window < 32 * span ? 2 * window : window);
}

JST_COLD void jst_segment_epoch(jst_block *b, jst_site *s, uint64_t now)
{
    if (b != JST_LOAD(jst_segment_owner) || !hold())
        return;
    uint64_t now_ns = jst_clock_ns(CLOCK_REALTIME);
    if (now_ns - seg.start_ns >= shortest(now_ns) / 4) /* a site may occur twice in a step */
        end_segment(b, JST_RULE_EPOCH, seg.epoch_level, s, s->calls, now_ns, now);
    let_go();
}

/* ---- begin and end ---- */

void jst_segments_begin(jst_block *b)
{
    if (jst_cfg.segments == JST_SEGMENTS_OFF || !hold())
        return;
    uint64_t now_ns = jst_a.head.mpi_init_ns;
    forget();
    seg.init_ns = seg.start_ns = seg.decided_ns = seg.looked_ns = now_ns;
    seg.look_for = jst_cfg.segment_span_ns;
    JST_STORE(jst_segment_owner, b);
    jst_features_begin();
    begin_bins(now_ns, jst_ticks());
    let_go();
}

void jst_segments_end(jst_block *b)
{
    if (JST_LOAD(jst_bin_end) == UINT64_MAX || !jst_segments_hold())
        return;
    uint64_t now = jst_ticks();
    end_segment(b, JST_RULE_FINAL, 0, NULL, 0, jst_clock_ns(CLOCK_REALTIME), now);
    forget();
    let_go();
}

/* The old file is about to be closed: the open segment ends there. The caller holds the lock. */
void jst_segments_old_part(void)
{
    if (JST_LOAD(jst_bin_end) != UINT64_MAX && jst_segment_owner)
        end_segment(jst_segment_owner, JST_RULE_FINAL, 0, NULL, 0, jst_clock_ns(CLOCK_REALTIME),
                    jst_ticks());
}

void jst_segments_child(void)
{
    forget();
    let_go();
}

void jst_segments_new_part(void)
{
    for (unsigned i = 0; i < JST_SITES; i++)
        jst_sites[i].token = 0;
    jst_features_new_part();
    if (JST_LOAD(jst_bin_end) == UINT64_MAX)
        return;
    seg.start_ns = jst_a.head.file_ns;
    seg.globals_at_start = seg.globals;
    begin_bins(seg.start_ns, jst_ticks());
}
