/* fuzz_nfs_server.c: fuzzes the parser of /proc/net/rpc/nfsd. */
#include "../src/sources/file_systems/nfs_server.c"
#include "fuzz_text.h"

static void parse(jst_sample *s, char *input)
{
    parse_nfsd(jst_component_of(s, &(jst_names){.kind = JST_KIND_NFS_SERVER, .name = "nfsd"}),
               input);
}
