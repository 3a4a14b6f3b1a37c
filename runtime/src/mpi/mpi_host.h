/* mpi_host.h: interface between finding the MPI (mpi_find.c) and loading its adapter
 * (mpi_host.c). */
#ifndef JST_MPI_HOST_H
#define JST_MPI_HOST_H

#include <stdbool.h>

#define JST_MPI_VERSION_BYTES 8192 /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest known */

/** Searches an MPI in the process; cheap if no library has been loaded since the last call. */
bool jst_mpi_found(void);
/** Returns the next function of this name after ours, also if the MPI was loaded with
 *  RTLD_LOCAL. Not a macro or inline function: the result of dlsym depends on the module that
 *  calls it. */
void *jst_mpi_real(const char *name);
/** Stores the result of MPI_Get_library_version in text; "" if the MPI has no such function. */
void jst_mpi_version(char *text, unsigned room);
/** Returns whether a function belongs to an MPI: other libraries use names such as mpi_init as
 *  well. */
bool jst_mpi_owns(void *function);
/** Keeps the MPI library loaded even if the program closes it with dlclose. */
void jst_mpi_keep_loaded(void);

const char *jst_mpi_name(unsigned index);
bool jst_mpi_name_is_c(const char *name);

/** Called by a trampoline whose slot is empty; returns the function to jump to. */
void *jst_mpi_first(unsigned index);

#endif
