/* int_counts.c: copies of large-count arrays as int, for an MPI that has no large-count functions. */
#include "adapter.h"

#include <limits.h>
#include <stdlib.h>

struct link {
    void *next;
    max_align_t rest[];
};

int *jst_narrow(jst_narrowed *made, const void *array, size_t width, uint64_t count)
{
    if (made->bad || count == 0 || !array) {
        return NULL;
    }
    struct link *link = malloc(sizeof(*link) + count * sizeof(int));
    if (!link) {
        made->bad = true;
        return NULL;
    }
    link->next = made->chain;
    made->chain = link;
    int *const copy = (int *)link->rest;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t entry = (int64_t)jst_at(array, width, i);
        made->bad |= entry < INT_MIN || entry > INT_MAX;
        copy[i] = (int)entry;
    }
    return copy;
}

void jst_narrow_free(void *chain)
{
    while (chain) {
        struct link *const link = chain;
        chain = link->next;
        free(link);
    }
}
