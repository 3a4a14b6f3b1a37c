/* sources.c: the table of sources: a row here, a file in sources/. */
#include "sources.h"

const jst_source *const jst_sources[] = {
    NULL,
};
