/* rights.h: what the sampler may still do once it has started (rights.c). */
#ifndef JST_RIGHTS_H
#define JST_RIGHTS_H

#include <stdbool.h>

/** Gives away what no source needs, for all threads that begin later and for good. `programs`: a source
 *  starts a program that is installed here; it and the capabilities that it may need stay. `sockets`: a
 *  source asks daemons of other users by their sockets, which stay possible on this machine. */
void jst_rights_drop(bool programs, bool sockets);

#endif
