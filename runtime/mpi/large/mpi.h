/* mpi.h: the part of an unknown MPI's interface that large.c needs: a handle is a word that is
 * passed on, whatever it means. (Where handles are int, the upper half is ignored.) */
#ifndef JST_LARGE_MPI_H
#define JST_LARGE_MPI_H

#include <stddef.h>
#include <stdint.h>

typedef void *MPI_Comm, *MPI_Datatype, *MPI_File, *MPI_Group, *MPI_Info, *MPI_Message, *MPI_Op,
    *MPI_Request, *MPI_Win;
typedef struct MPI_Status {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, rest[5];
} MPI_Status;
#define MPI_STATUS_IGNORE NULL /* not used */
typedef int64_t MPI_Count, MPI_Offset;
typedef intptr_t MPI_Aint;
typedef int MPI_Fint;

/* Success is the same in every MPI; other values differ, and any of them is an error. */
#define MPI_SUCCESS 0
#define MPI_ERR_COUNT 16

/* MPI_IN_PLACE is one of these in all known MPIs; neither is a buffer's address. */
#define jst_in_place(buffer) ((uintptr_t)(buffer) == 1 || (intptr_t)(buffer) == -1)

#endif
