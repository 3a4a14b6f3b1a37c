/* record_space.h: limits the bytes of one type of record in a profile (record_space.c).
 *
 * At first `burst` bytes, and so many more per slice. Beyond that records span 2, 4, 8, ... slices,
 * which end where these numbers divide the slice's. */
#ifndef JST_RECORD_SPACE_H
#define JST_RECORD_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jst_record_space {
    uint64_t first_slice, burst, per_slice;
    uint64_t written, newest; /* bytes: so far, and of the newest record */
    unsigned level;           /* records span 2^level slices */
} jst_record_space;

/** Is no record written at the boundary at which slice `end` begins? */
bool jst_record_waits(jst_record_space *s, uint64_t end);
/** One with a payload of n bytes was. */
void jst_record_counts(jst_record_space *s, size_t n);

#endif
