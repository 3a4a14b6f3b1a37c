/* segment_ring.h: writes segments into the ring, and from there into records (segment_ring.c). */
#ifndef JST_SEGMENT_RING_H
#define JST_SEGMENT_RING_H

#include "segment.h"

void jst_features_begin(void); /* the first segment begins at the current counters */
void jst_features_new_part(void);
/** False: the ring is full; the segment continues. */
bool jst_segment_put(const jst_segment *s, const jst_bins *bins);
uint64_t jst_segment_bytes(void); /* written so far */

void jst_segments_drain(int fd); /* in the heartbeat: the ring into a record */

#endif
