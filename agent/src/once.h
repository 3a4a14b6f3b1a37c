/* once.h: jostle-agent --once (once.c). */
#ifndef JST_ONCE_H
#define JST_ONCE_H

#include <stdbool.h>

/** Samples twice, a second apart, and prints what each source found, or why it found nothing. The
 *  exit status: 1 when a source could not read something. */
int jst_print_once(const char *without, bool json);

#endif
