/* rights.h: the rights of the sampler after its start (rights.c). */
#ifndef JST_RIGHTS_H
#define JST_RIGHTS_H

#include <stdbool.h>

/** Drops rights that no source needs, for all threads that begin later and for good. `programs`: a
 *  source starts a program that is installed here; this and the capabilities that it may need are
 *  kept. `sockets`: a source queries daemons of other users by their sockets, which are still
 *  allowed on this machine. */
void jst_rights_drop(bool programs, bool sockets);

#endif
