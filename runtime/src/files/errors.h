/* errors.h: calls of the program that failed (errors.c). */
#ifndef JST_ERRORS_H
#define JST_ERRORS_H

#include "block.h"
#include "common.h"

/** Counts a failed file call by its class of error number. */
JST_COLD void jst_fail(jst_block *b, unsigned slot, int error);

#endif
