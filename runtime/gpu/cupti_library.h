/* cupti_library.h: libcupti, found at run time (cupti_library.c). */
#ifndef JST_CUPTI_LIBRARY_H
#define JST_CUPTI_LIBRARY_H

#include <stdbool.h>

#include "cupti.h"

struct cupti_library {
    int (*subscribe)(void **subscriber, cupti_callback *callback, void *data);
    int (*unsubscribe)(void *subscriber);
    int (*enable_callback)(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id);
    int (*register_callbacks)(cupti_requested *requested, cupti_completed *completed);
    int (*enable)(uint32_t kind);
    int (*disable)(uint32_t kind);
    int (*flush)(uint32_t flag);
    int (*next_record)(uint8_t *buffer, size_t valid, void **record);
    int (*dropped)(void *context, uint32_t stream, size_t *count);
    int (*get_timestamp)(uint64_t *ns);
    int (*device_of)(void *context, uint32_t *ordinal); /* NULL: it has none */
    /* Functions that name the subscriber, for several of them. All are NULL where one is missing (before
     * 13.3). */
    struct cupti_of_several {
        int (*subscribe)(void **subscriber, cupti_callback *callback, void *data,
                         cupti_subscription *request);
        int (*register_callbacks)(void *subscriber, cupti_requested_v2 *requested,
                                  cupti_completed_v2 *completed);
        int (*enable)(void *subscriber, uint32_t kind, void *configuration);
        int (*disable)(void *subscriber, uint32_t kind, void *configuration);
        int (*next_record)(void *subscriber, uint8_t *buffer, size_t valid, void **record);
        int (*dropped)(void *subscriber, void *context, uint32_t stream, size_t *count);
        int (*get_timestamp)(void *subscriber, uint64_t *ns);
    } several;
};

/** Loads the libcupti that the process has already, else one that the loader finds or that is in a
 *  usual place.
 *  False: there is none with all these functions. */
bool cupti_open(struct cupti_library *library);

#endif
