/* fuzz_beegfs.c: fuzzes the parser of beegfs-ctl's output. */
#include <stdlib.h>
#include <string.h>

#include "sources/file_systems/beegfs_text.h"

static void take_client(void *to, const jst_beegfs_client *client)
{
    (void)to;
    if (!client->name[0] || strlen(client->name) >= JST_BEEGFS_NAME)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool whole = jst_beegfs_clients((const char *)data, size, take_client, NULL);
    if (whole != (!size || data[size - 1] == '\n'))
        abort();
    return 0;
}
