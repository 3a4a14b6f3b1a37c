/* stdio_common.c: the end of a transfer by a stream where it is not the usual one. */
#include "stdio_common.h"

void jst_stream_unusual(jst_block *b, const FILE *fp, bool writes, uint64_t n, bool failed,
                        uint64_t ticks)
{
    const jst_direction *d = writes ? &jst_stdio_write : &jst_stdio_read;
    unsigned slot = jst_stream_slot(fp);
    if (JST_UNLIKELY(failed))
        jst_fail(b, slot, errno);
    if (JST_LIKELY(!failed || n > 0))
        jst_count(b, slot, fp->_fileno, d, n, ticks);
    jst_stream_moved(b, slot, fp, d, n);
}
