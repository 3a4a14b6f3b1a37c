/* harness.h: runs a source on a folder of fixtures, and checks its reports (harness.c). */
#ifndef JST_HARNESS_H
#define JST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "component.h"

/** Opens the source with /proc and /sys of fixtures/FOLDER; returns the result of `open`. */
const char *jst_test_open(const jst_source *source, const char *folder);
/** One more sample, of fixtures/FOLDER; returns the result of `sample`. */
const char *jst_test_sample(const jst_source *source, jst_sample *s, const char *folder);
/** The component, which must be there; job may be NULL. */
const jst_component *jst_test_component(const jst_sample *s, enum jst_component_kind kind,
                                        const char *name, const char *job);
/** Is there such a component, named in the newest sample? */
bool jst_test_present(const jst_sample *s, enum jst_component_kind kind, const char *name);
/** A counter's last number, or a level; it must have been reported. */
uint64_t jst_test_number(const jst_component *c, enum jst_component_metric metric);
/** The increase of a counter since the first sample. */
uint64_t jst_test_gained(const jst_component *c, enum jst_component_metric metric);
bool jst_test_unknown(const jst_component *c, enum jst_component_metric metric);
/** Was the metric reported at all? */
bool jst_test_has(const jst_component *c, enum jst_component_metric metric);

#endif
