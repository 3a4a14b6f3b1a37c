/* sources.h: all sources (sources.c). */
#ifndef JST_SOURCES_H
#define JST_SOURCES_H

#include "source.h"

/** In the order of records; NULL ends it. Small ones that are always there come first. */
extern const jst_source *const jst_sources[];

#endif
