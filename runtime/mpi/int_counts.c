/* int_counts.c: copies of large-count arrays as int, for an MPI that has no large-count functions; chains
 * of memory that a request keeps until it ends. */
#include "adapter.h"

#include <limits.h>
#include <stdlib.h>

struct link {
    void *next;
    max_align_t rest[];
};

void *jst_link(void **chain, size_t bytes)
{
    struct link *link = malloc(sizeof(*link) + bytes);
    if (!link) {
        return NULL;
    }
    link->next = *chain;
    *chain = link;
    return link->rest;
}

void *jst_first_of(void *chain)
{
    return ((struct link *)chain)->rest;
}

void *jst_join(void *chain, void *more)
{
    struct link *last = chain;
    if (!chain) {
        return more;
    }
    while (last->next) {
        last = last->next;
    }
    last->next = more;
    return chain;
}

int *jst_narrow(jst_narrowed *made, const void *array, size_t width, uint64_t count)
{
    if (made->bad || count == 0 || !array) {
        return NULL;
    }
    int *const copy = jst_link(&made->chain, count * sizeof(int));
    if (!copy) {
        made->bad = true;
        return NULL;
    }
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
