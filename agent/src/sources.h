/* sources.h: all sources (sources.c). */
#ifndef JST_SOURCES_H
#define JST_SOURCES_H

#include "source.h"

/** In the order of records; NULL ends it. What is small and always there comes first. */
extern const jst_source *const jst_sources[];

#endif
