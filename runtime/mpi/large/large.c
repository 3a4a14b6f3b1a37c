/* large.c: libjostle_large.so, for an MPI that has no adapter and no large-count functions.
 *
 * libjostle.so exports their names all the same. A program that asks whether they exist (mpi4py does,
 * by weak references) would call them, and get an error where without jostle it would have called the
 * plain ones. So they are implemented here by the plain ones: nothing is counted, but the program
 * runs.
 */
#include "adapter.h"
#include "jst_wrappers.h"

jst_mpi_host jst_host;
void *jst_reals[JST_WRAPPERS];
void *jst_functions[JST_WRAPPERS];

/* Every name that libjostle.so exports, by its index. */
#define JST_MPI_NAME(symbol) #symbol,
#define JST_MPI_FORTRAN(symbol, place) #symbol,
static const char *const names[] = {
#include "jst_mpi_names.def"
};
#undef JST_MPI_NAME
#undef JST_MPI_FORTRAN
#define NAMES (sizeof(names) / sizeof(names[0]))

static int error(void)
{
    return MPI_ERR_COUNT;
}

/* ---- lengths of arrays, by the MPI's own functions ------------------------------------------ */

static int ask(const char *function, MPI_Comm comm)
{
    int (*const f)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))jst_host.real(function);
    int value = 0;
    return f && f(comm, &value) == MPI_SUCCESS ? value : 0;
}

uint64_t jst_members(MPI_Comm comm)
{
    return (uint64_t)ask("PMPI_Comm_size", comm);
}

uint64_t jst_ranks(MPI_Comm comm)
{
    return ask("PMPI_Comm_test_inter", comm) ? (uint64_t)ask("PMPI_Comm_remote_size", comm)
                                             : jst_members(comm);
}

/* On an inter-communicator, the root's side names no rank. */
bool jst_is_root(int root, MPI_Comm comm)
{
    return ask("PMPI_Comm_test_inter", comm) ? root < 0 : root == ask("PMPI_Comm_rank", comm);
}

/* How many neighbours there are depends on the kind of topology, and the kinds' numbers on the MPI:
 * such an array is treated as longer than memory, and the call fails. */
uint64_t jst_in(MPI_Comm comm)
{
    (void)comm;
    return UINT64_C(1) << 58;
}

uint64_t jst_out(MPI_Comm comm)
{
    return jst_in(comm);
}

/* The arrays of large-count functions, whose entries all have eight bytes. */
uint64_t jst_at(const void *array, size_t width, uint64_t index)
{
    (void)width;
    return ((const uint64_t *)array)[index];
}

/* The MPI reads the arrays until the operation ends, which is not reported here. */
void jst_keep(MPI_Request request, void *kept, bool persistent)
{
    (void)request;
    (void)kept;
    (void)persistent;
}

/* ---- the exported function ------------------------------------------------------------------- */

static bool fits(const char *library_version)
{
    (void)library_version;
    return false;
}

static void *fallback_of(unsigned id)
{
    for (size_t i = 0; i < jst_fallback_count; i++)
        if (jst_fallback_functions[i].id == id)
            return jst_fallback_functions[i].address;
    return NULL;
}

static void *wrapper(unsigned index, void *real)
{
    if (real || index >= NAMES)
        return real;
    const unsigned id = jst_wrapper_of(index);
    const unsigned plain = id < JST_C_WRAPPERS ? jst_plain_of(id) : JST_WRAPPERS;
    void *fallback = plain == JST_WRAPPERS ? NULL : fallback_of(id);
    void *function = fallback ? jst_host.real(names[jst_first_name(plain)]) : NULL;
    if (!function)
        return (void *)error;
    __atomic_store_n(&jst_functions[plain], function, __ATOMIC_RELEASE);
    return fallback;
}

__attribute__((visibility("default"))) const jst_mpi_adapter *
jst_mpi_adapter_get(const jst_mpi_host *host)
{
    static const jst_mpi_adapter adapter = {.interface = JST_MPI_INTERFACE,
                                            .size = sizeof(jst_mpi_adapter),
                                            .name = "large",
                                            .fits = fits,
                                            .wrapper = wrapper};
    jst_host = *host;
    return &adapter;
}
