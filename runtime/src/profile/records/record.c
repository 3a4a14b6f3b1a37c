/* record.c: appends records to the profile. Called only by the heartbeat, and by the thread that
 * starts it. */
#include "record.h"
#include "common.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "profile/profile_layout.h"
#include "sys.h"
#include "text.h"

JST_LARGE uint8_t jst_record_buffer[JST_RECORD_MAX + JST_FRAME_GAP + 8];

bool jst_append(int fd, uint8_t type, uint8_t *buffer, size_t n)
{
    jst_commit *c = &jst_a.commit[atomic_load(&jst_a.head.generation) & 1];
    size_t size;
    uint8_t *start = jst_frame(buffer, type, n, &size);
    if (jst_pwrite(fd, start, size, c->records_end) != (long)size)
        return false;
    c->records_end += size;
    return true;
}

void jst_note(int fd, uint64_t now_ns, const char *text)
{
    uint8_t *p = jst_put_varint(jst_record_buffer + JST_FRAME_GAP, now_ns);
    p = jst_put_string(p, text, jst_strlen(text));
    jst_append(fd, JST_RECORD_NOTE, jst_record_buffer,
               (size_t)(p - jst_record_buffer) - JST_FRAME_GAP);
}
