/* mpi_host.h: what the finder of the MPI (mpi_find.c) and the loader of adapters (mpi_host.c) share. */
#ifndef JST_MPI_HOST_H
#define JST_MPI_HOST_H

#include <stdbool.h>

#define JST_MPI_VERSION_BYTES 8192 /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest known */

/* header word mpi_adapter */
enum { JST_ADAPTER_NONE, JST_ADAPTER_LOADED, JST_ADAPTER_LACKING, JST_ADAPTER_REFUSED };

/** Looks for an MPI in the process; cheap while no library has been loaded since the last look. */
bool jst_mpi_found(void);
/** The next function of this name behind ours, in whatever scope the MPI was loaded. Not a macro or
 *  inline: dlsym goes by the module that calls it. */
void *jst_mpi_real(const char *name);
/** What MPI_Get_library_version says, "" where the MPI has no such function. */
void jst_mpi_version(char *text, unsigned room);
/** Does a function belong to an MPI? Names such as mpi_init are those of other libraries, too. */
bool jst_mpi_owns(void *function);
/** The MPI must not go away: a program may dlclose it. */
void jst_mpi_keep_loaded(void);

const char *jst_mpi_name(unsigned index);
bool jst_mpi_name_is_c(const char *name);

/** Called by a trampoline whose slot is empty: where to go. */
void *jst_mpi_first(unsigned index);

#endif
