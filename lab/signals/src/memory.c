/* memory.c: load on the memory bus, and on the caches that processes of a node share.
 *
 * memory: a[i] = b[i] + s * c[i] over three arrays that together are the working set (--chunk),
 * block after block, round and round. The default is twice the last-level cache, so that no block
 * is still in the cache at its next turn. An operation is a block of BLOCK elements.
 *
 * cache: a chain of loads, each of which gives the address of the next, through all cache lines of
 * the working set (--chunk, by default half of the last-level cache) in one random cycle: neither
 * prefetcher nor reordering helps, and lines of others are displaced. An operation is HOPS loads.
 *
 * The bytes of an operation are those that the program requests: 24 per element (two loads, a
 * store; not the line that a store may fetch first), and a line per hop. */
#include "signal.h"

#include <stdio.h>
#include <unistd.h>

enum {
    LINE = 64,
    BLOCK = 64 * 1024, /* elements of each array: 1.5 MiB, some 100 us */
    HOPS = 4096,       /* 20 us in the second-level cache, 400 us in memory */
};

static const uint64_t least = 16 * LINE;
static const double scale = 3.0;

struct stream {
    double *a, *b, *c;
    size_t elements; /* of each */
    size_t next;
};

struct line {
    struct line *next;
    char rest[LINE - sizeof(struct line *)];
};

/* The largest cache that the kernel reports; where it reports none, a common size. */
static uint64_t last_level(void)
{
    static const int names[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                _SC_LEVEL2_CACHE_SIZE};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        long size = sysconf(names[i]);
        if (size > 0) {
            return (uint64_t)size;
        }
    }
    return 16 * JST_MIB;
}

static uint64_t between(uint64_t low, uint64_t value, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint64_t stream_chunk(void)
{
    return between(64 * JST_MIB, 2 * last_level(), 512 * JST_MIB);
}

static uint64_t chase_chunk(void)
{
    return between(JST_MIB, last_level() / 2, 64 * JST_MIB);
}

static bool fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->chunk < least) {
        snprintf(why, size, "a working set of %llu bytes is less than %llu: give a larger --chunk",
                 (unsigned long long)options->chunk, (unsigned long long)least);
        return false;
    }
    return true;
}

static uint64_t stream_amount(const struct jst_run *run)
{
    (void)run;
    return 3 * sizeof(double) * (uint64_t)BLOCK;
}

static bool stream_prepare(struct jst_run *run)
{
    static struct stream stream;
    size_t elements = run->options.chunk / (3 * sizeof(double));
    void *memory;

    if (!jst_allocate(run, 3 * elements * sizeof(double), "the working set", &memory)) {
        return false;
    }
    stream = (struct stream){.a = memory, .elements = elements};
    stream.b = stream.a + elements;
    stream.c = stream.b + elements;
    for (size_t i = 0; i < elements; i++) {
        stream.a[i] = 0.0;
        stream.b[i] = 1.0 + (double)(i % 7); /* any normal numbers: others are slow */
        stream.c[i] = 2.0 - (double)(i % 5);
    }
    run->state = &stream;
    return true;
}

/* Not inlined, and the arrays are reachable through `state`: the compiler cannot leave out a
 * store. */
__attribute__((noinline)) static void triad(double *restrict a, const double *restrict b,
                                            const double *restrict c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = b[i] + scale * c[i];
    }
    __asm__ volatile("" : : "r"(a) : "memory");
}

static bool stream_step(struct jst_run *run)
{
    struct stream *s = run->state;
    size_t left = BLOCK;

    while (left > 0) {
        size_t n = s->elements - s->next;
        n = n < left ? n : left;
        triad(s->a + s->next, s->b + s->next, s->c + s->next, n);
        left -= n;
        s->next = (s->next + n) % s->elements;
    }
    run->moved += stream_amount(run);
    return true;
}

static uint64_t chase_amount(const struct jst_run *run)
{
    (void)run;
    return (uint64_t)LINE * HOPS;
}

static bool chase_prepare(struct jst_run *run)
{
    size_t count = run->options.chunk / sizeof(struct line);
    uint64_t seed = 1 + run->team.world_rank;
    struct line *lines;
    void *memory;

    if (!jst_allocate(run, count * sizeof(struct line), "the working set", &memory)) {
        return false;
    }
    lines = memory;
    for (size_t i = 0; i < count; i++) {
        lines[i].next = &lines[i];
    }
    /* Sattolo's shuffle: one cycle through all lines, each order as likely as any other. */
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = jst_random(&seed) % i;
        struct line *kept = lines[i].next;
        lines[i].next = lines[j].next;
        lines[j].next = kept;
    }
    run->state = lines;
    return true;
}

static bool chase_step(struct jst_run *run)
{
    const struct line *at = run->state;

    for (int i = 0; i < HOPS; i++) {
        at = at->next;
    }
    run->state = (void *)at; /* where the next operation continues: all of the chain is used */
    run->moved += chase_amount(run);
    return true;
}

const struct jst_pattern jst_memory = {
    .name = "memory",
    .operation = "a[i] = b[i] + s * c[i] for the next 65536 elements of three large arrays",
    .resource = JST_MEMORY,
    .flush = JST_FLUSH_NONE,
    .default_chunk = stream_chunk,
    .amount = stream_amount,
    .fits = fits,
    .prepare = stream_prepare,
    .step = stream_step,
};

const struct jst_pattern jst_cache = {
    .name = "cache",
    .operation = "4096 loads, each at the address that the last one read, all over the working set",
    .resource = JST_MEMORY,
    .flush = JST_FLUSH_NONE,
    .default_chunk = chase_chunk,
    .amount = chase_amount,
    .fits = fits,
    .prepare = chase_prepare,
    .step = chase_step,
};
