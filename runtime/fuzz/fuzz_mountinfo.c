/* fuzz_mountinfo.c: lines of /proc/self/mountinfo, whose text users that may mount can choose. */
#include <string.h>

#include "../src/profile/encode.c"
#include "../src/profile/records/mount_record.c"
#include "../src/profile/records/record.c"
#include "../src/text.c"

jst_area jst_a;
uint64_t jst_own_read_bytes, jst_own_read_calls, jst_own_write_bytes, jst_own_write_calls;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[16384];
    if (size >= sizeof line)
        return 0;
    for (int by_device = 0; by_device < 2; by_device++) {
        memcpy(line, data, size);
        line[size] = 0;
        mounts_written = 0;
        match_line(-1, line, 0x7f, by_device);
    }
    return 0;
}
