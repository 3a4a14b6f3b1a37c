/* sources.c: the table of sources: a row here, a file in sources/. */
#include "sources.h"

#include "sources/lustre.h"

const jst_source *const jst_sources[] = {
    &jst_source_lustre_client,
    &jst_source_lustre_server,
    &jst_source_lustre_jobs,
    NULL,
};
