/* mpi_names.c: the names of the trampolines, as text. One block of characters and offsets into it: a
 * table of pointers would be a relocation per name in every process. Apart from other data, whose pages are read in
 * every process. */
#include <stddef.h>
#include <stdint.h>

#include "common.h"
#include "mpi_host.h"

#define JST_MPI_NAME(name) char name[sizeof #name];
#define JST_MPI_FORTRAN(name, ierror) JST_MPI_NAME(name)
struct names {
#include "jst_mpi_names.def"
};
#undef JST_MPI_NAME

#define JST_MPI_NAME(name) .name = #name,
__attribute__((section("jst_mpi_rodata"))) static const struct names names = {
#include "jst_mpi_names.def"
};
#undef JST_MPI_NAME

#define JST_MPI_NAME(name) offsetof(struct names, name),
__attribute__((section("jst_mpi_rodata"))) static const uint32_t offsets[] = {
#include "jst_mpi_names.def"
};

const char *jst_mpi_name(unsigned index)
{
    return (const char *)&names + offsets[index];
}

/* MPI_Send and PMPI_Send, not MPI_SEND. */
bool jst_mpi_name_is_c(const char *name)
{
    const char *p = name[0] == 'P' ? name + 5 : name + 4;
    return name[0] <= 'Z' && p[1] >= 'a' && p[1] <= 'z';
}
