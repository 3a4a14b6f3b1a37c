/* fuzz_ceph_client.c: fuzzes the parser of the tables of the kernel's CephFS client. */
#include <string.h>

#include "../src/sources/file_systems/ceph/ceph_client.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[65536];
    counts c = {{0}, {0}, {0}, {0}, {0}, {0}};
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    parse(&c, text);
    return 0;
}
