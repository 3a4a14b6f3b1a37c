/* script.h: the script, module or class that an interpreter runs (script.c). */
#ifndef JST_SCRIPT_H
#define JST_SCRIPT_H

#include <stddef.h>

/** Writes the name into `to`, "" when there is none.
 *
 *  program: path of the executable; arguments: as in /proc/PID/cmdline, each ended by a NUL, with
 *  one more NUL after the last; length: their bytes without that NUL. */
void jst_script_name(const char *program, const char *arguments, size_t length, char *to,
                     size_t room);

#endif
