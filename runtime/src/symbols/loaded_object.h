/* loaded_object.h: finds a library by the names that it defines (loaded_object.c). */
#ifndef JST_LOADED_OBJECT_H
#define JST_LOADED_OBJECT_H

#include "common.h"

/** Handle of the first object of the process, its dependencies included, that defines all the names
 *  (NULL ends them) at addresses other than those of is_ours; it is kept open. NULL: there is none.
 *  The main program is left out: its scope is the global one. */
void *jst_object_with(const char *const *wanted, bool (*is_ours)(const void *));
/** The next function of this name after ours, in the global scope or in any object. NULL: there is
 * none. */
void *jst_function_behind(const char *name, bool (*is_ours)(const void *));

#endif
