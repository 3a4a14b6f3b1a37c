/* options.h: shared declarations of options.c, check.c and text.c. */
#ifndef JST_SIGNAL_OPTIONS_H
#define JST_SIGNAL_OPTIONS_H

#include "signal.h"

/* The name nearest to a mistyped one, NULL when none is near. */
const char *jst_nearest(const char *text, const char *(*name)(size_t), size_t count);

/* Options that were given, as bits, where their values do not show it. */
enum jst_given {
    JST_GIVEN_CHUNK = 1 << 0,
    JST_GIVEN_PIECE = 1 << 1,
    JST_GIVEN_API = 1 << 2,
    JST_GIVEN_PROCESSES = 1 << 3,
    JST_GIVEN_PERIOD = 1 << 4,
    JST_GIVEN_DUTY = 1 << 5,
    JST_GIVEN_PHASE = 1 << 6,
    JST_GIVEN_TIME = 1 << 7,
    JST_GIVEN_VOLUME = 1 << 8,
    JST_GIVEN_ITERATIONS = 1 << 9,
    JST_GIVEN_DIRECTION = 1 << 10,
    JST_GIVEN_PAGEABLE = 1 << 11,
    JST_GIVEN_DEVICE = 1 << 12,
};

/* Fills in defaults and refuses what does not fit together; false after writing what, why and
 * remedy into why. */
bool jst_check_options(struct jst_options *options, unsigned given, char *why, size_t size);

#endif
