/* histogram.c: log-linear buckets. A value below 64 has a bucket of its own; above that each
 * doubling is cut into 64 steps, and a bucket represents its middle. */
#include <string.h>

#include "log.h"

static unsigned bucket_of(uint64_t value)
{
    if (value < JST_HISTOGRAM_STEPS)
        return (unsigned)value;
    unsigned doubling = 63 - (unsigned)__builtin_clzll(value) - JST_HISTOGRAM_BITS;
    /* The steps of a doubling follow those of the one before: 64 + doubling * 64 + step. */
    return (doubling << JST_HISTOGRAM_BITS) + (unsigned)(value >> doubling);
}

static uint64_t middle_of(unsigned bucket)
{
    if (bucket < 2 * JST_HISTOGRAM_STEPS)
        return bucket;
    unsigned doubling = (bucket >> JST_HISTOGRAM_BITS) - 1;
    uint64_t low = (uint64_t)(bucket - (doubling << JST_HISTOGRAM_BITS)) << doubling;
    return low + ((UINT64_C(1) << doubling) - 1) / 2;
}

void jst_histogram_clear(struct jst_histogram *h)
{
    if (h->count)
        memset(h->buckets + h->low, 0, (h->high - h->low + 1) * sizeof *h->buckets);
    h->count = h->max = 0;
    h->low = JST_HISTOGRAM_BUCKETS;
    h->high = 0;
}

void jst_histogram_add(struct jst_histogram *h, uint64_t value)
{
    unsigned bucket = bucket_of(value);
    h->buckets[bucket]++;
    h->count++;
    if (value > h->max)
        h->max = value;
    if (bucket < h->low)
        h->low = bucket;
    if (bucket > h->high)
        h->high = bucket;
}

void jst_histogram_merge(struct jst_histogram *to, const struct jst_histogram *from)
{
    if (!from->count)
        return;
    for (unsigned b = from->low; b <= from->high; b++)
        to->buckets[b] += from->buckets[b];
    to->count += from->count;
    if (from->max > to->max)
        to->max = from->max;
    if (from->low < to->low)
        to->low = from->low;
    if (from->high > to->high)
        to->high = from->high;
}

uint64_t jst_histogram_quantile(const struct jst_histogram *h, double share)
{
    if (!h->count)
        return 0;
    double exact = share * (double)h->count;
    uint64_t rank = (uint64_t)exact;
    if ((double)rank < exact || rank == 0)
        rank++;
    uint64_t seen = 0;
    for (unsigned b = h->low; b <= h->high; b++) {
        seen += h->buckets[b];
        if (seen >= rank) {
            uint64_t middle = middle_of(b);
            return middle < h->max ? middle : h->max;
        }
    }
    return h->max;
}
