/* adapter.c: entry point of an adapter: finds the MPI's functions, hands out the wrappers. */
#define _GNU_SOURCE
#include "adapter.h"

#include "jst_wrappers.h"

#include <dlfcn.h>
#include <string.h>

jst_mpi_host jst_host;
struct jst_pmpi jst_pmpi;
void *jst_reals[JST_WRAPPERS];
void *jst_functions[JST_WRAPPERS];
static void *fallbacks[JST_WRAPPERS]; /* used where the MPI has no such function */

/* Exported names by index, and the wrapper of each. */
#define JST_MPI_NAME(symbol) #symbol,
#define JST_MPI_FORTRAN(symbol, place) #symbol,
static const char *const names[] = {
#include "jst_mpi_names.def"
};
#undef JST_MPI_NAME
#undef JST_MPI_FORTRAN
#define NAMES (sizeof(names) / sizeof(names[0]))

void *jst_object(const char *name)
{
    /* The program may have a copy of the object: then all use that one. */
    void *object = dlsym(RTLD_DEFAULT, name);
    return object ? object : jst_host.real(name);
}

static void find_pmpi(void)
{
#define FIND(result, name, arguments)                                                              \
    jst_pmpi.name = (result(*) arguments)jst_host.real("PMPI_" #name);
    JST_PMPI(FIND)
#undef FIND
#ifdef JST_STANDARD_ABI
    /* Fortran is not part of the standard's ABI; its handles are the numbers of these. */
#define FIND_INSTEAD(member, name)                                                                 \
    if (!jst_pmpi.member) {                                                                        \
        jst_pmpi.member = (__typeof__(jst_pmpi.member))jst_host.real("PMPI_" name);                \
    }
    FIND_INSTEAD(Comm_f2c, "Comm_fromint")
    FIND_INSTEAD(Comm_c2f, "Comm_toint")
    FIND_INSTEAD(Type_f2c, "Type_fromint")
    FIND_INSTEAD(Type_c2f, "Type_toint")
    FIND_INSTEAD(Request_f2c, "Request_fromint")
#undef FIND_INSTEAD
#endif
}

/* ---- names that the MPI lacks -------------------------------------------------------------- */

static int unsupported(void)
{
#ifdef MPI_ERR_UNSUPPORTED_OPERATION
    return MPI_ERR_UNSUPPORTED_OPERATION;
#else
    return MPI_ERR_OTHER;
#endif
}

/** Returns a function for a C name that the MPI lacks: a large-count call by the plain one, if that
 *  is there, else an error. */
static void *fallback(unsigned id)
{
    const unsigned plain = jst_plain_of(id);
    if (plain == JST_WRAPPERS || !fallbacks[id]) {
        return (void *)unsupported;
    }
    void *real = jst_host.real(names[jst_first_name(plain)]);
    if (!real) {
        return (void *)unsupported;
    }
    __atomic_store_n(&jst_reals[plain], real, __ATOMIC_RELEASE);
    return fallbacks[id];
}

/* ---- names that it has --------------------------------------------------------------------- */

/** The function of the first of a wrapper's names. Manglings of a Fortran name share one wrapper;
 *  one that belongs to another tool is not changed. */
static void *first_real(unsigned id)
{
    const unsigned first = jst_first_name(id);
    for (unsigned index = first; index < NAMES && jst_wrapper_of(index) == id; index++) {
        void *real = jst_host.real(names[index]);
        if (real) {
            return real;
        }
    }
    return NULL;
}

static void *wrapper(unsigned index, void *real)
{
    if (index >= NAMES) {
        return NULL;
    }
    const unsigned id = jst_wrapper_of(index);
    if (!real) {
        return id < JST_C_WRAPPERS ? fallback(id) : NULL;
    }
    if (id >= JST_C_WRAPPERS && first_real(id) != real) {
        return NULL;
    }
    __atomic_store_n(&jst_reals[id], real, __ATOMIC_RELEASE);
    return jst_functions[id];
}

/** Called by unwinders for each frame that jst_frame() marks. */
__attribute__((used, visibility("hidden"))) int
jst_frame_left(int version, int actions, uint64_t exception_class, void *exception, void *context)
{
    (void)version;
    (void)exception_class;
    (void)exception;
    (void)context;
    if (actions & JST_UNWIND_CLEANUP) {
        jst_host.left();
    }
    return JST_UNWIND_CONTINUE;
}

/* ---- the exported function ------------------------------------------------------------------- */

/** Whether the MPI in this process declares the standard's own ABI. */
static bool has_standard_abi(void)
{
    int major = -1;
    int minor = -1;
    int (*const ask)(int *, int *) = (int (*)(int *, int *))jst_host.real("MPI_Abi_get_version");
    return ask && ask(&major, &minor) == 0 && major >= 1;
}

static bool fits(const char *library_version)
{
#if defined(JST_STANDARD_ABI)
    (void)library_version;
    return has_standard_abi();
#elif defined(OPEN_MPI)
    return strncmp(library_version, "Open MPI", 8) == 0 && !has_standard_abi();
#else
    return (strstr(library_version, "MPICH") || strstr(library_version, "MVAPICH") ||
            strstr(library_version, "Intel(R) MPI")) &&
           !has_standard_abi();
#endif
}

static void load(const jst_function *functions, size_t count, void **into)
{
    for (size_t i = 0; i < count; i++) {
        into[functions[i].id] = functions[i].address;
    }
}

__attribute__((visibility("default"))) const jst_mpi_adapter *
jst_mpi_adapter_get(const jst_mpi_host *host)
{
    static const jst_mpi_adapter adapter = {.interface = JST_MPI_INTERFACE,
                                            .size = sizeof(jst_mpi_adapter),
                                            .name = JST_ADAPTER_NAME,
                                            .fits = fits,
                                            .wrapper = wrapper};
    if (host->interface != JST_MPI_INTERFACE || host->size != sizeof(*host)) {
        return NULL;
    }
    jst_host = *host;
    find_pmpi();
#define LOAD(functions, count) load(functions, count, jst_functions);
    JST_FUNCTIONS(LOAD)
#undef LOAD
    load(jst_fallback_functions, jst_fallback_count, fallbacks);
    return &adapter;
}
