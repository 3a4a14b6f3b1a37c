/* fuzz_gpfs.c: fuzzes the parser of mmpmon's answers. */
#include <stdlib.h>
#include <string.h>

#include "sources/file_systems/gpfs_text.h"

static void take_part(void *to, const jst_gpfs_part *part)
{
    (void)to;
    if (!part->name[0] || strlen(part->name) >= JST_GPFS_NAME || part->known & part->unknown)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jst_gpfs_codes codes;
    jst_gpfs_answer((const char *)data, size, &codes, take_part, NULL);
    jst_gpfs_is_whole((const char *)data, size);
    return 0;
}
