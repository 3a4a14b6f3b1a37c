/* record_space.c: decides when a record has to wait, so that a profile stays small. */
#include "record_space.h"

#include "profile/encode.h"

#define LEVEL_MOST 12

bool jst_record_waits(jst_record_space *s, uint64_t end)
{
    uint64_t slices =
        end > s->first_slice ? end - s->first_slice : 0; /* the clock may be set back */
    uint64_t room = s->burst + s->per_slice * slices;
    if (end & ((UINT64_C(1) << s->level) - 1))
        return true;
    if (s->written + s->newest > room && s->level < LEVEL_MOST) {
        s->level++;
        return true;
    }
    if (s->level > 0 && s->written + s->newest + s->burst / 2 <= room)
        s->level--;
    return false;
}

void jst_record_counts(jst_record_space *s, size_t n)
{
    s->newest = n + JST_FRAME_GAP;
    s->written += s->newest;
}
