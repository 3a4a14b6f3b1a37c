/* facts.c: facts about datatypes and communicators, cached by handle, and the words by which
 * schema/mpi_calls.toml describes how many bytes a call passes.
 */
#define _GNU_SOURCE
#include "adapter.h"

#include <limits.h>

jst_cache jst_sizes, jst_sizes_f, jst_comms, jst_comms_f;
static jst_cache degrees; /* by communicator: neighbours that send (12 bits), that receive (12) */
MPI_Comm jst_world;
#ifndef JST_INTEGER_HANDLES
MPI_Fint jst_world_f;
#endif
static int world_size; /* 0: not queried yet */
int jst_session_size;  /* size of the process set mpi://WORLD, if a session gave it */

static void store(jst_cache *cache, uint64_t key, uint64_t fact)
{
    if (fact <= JST_CACHE_FACT) {
        __atomic_store_n(&cache->words[jst_cache_place(key)], jst_cache_word(key) | fact,
                         __ATOMIC_RELAXED);
    }
}

static void drop(jst_cache *cache, uint64_t key)
{
    uint32_t fact;
    if (jst_cache_find(cache, key, &fact)) {
        __atomic_store_n(&cache->words[jst_cache_place(key)], 0, __ATOMIC_RELAXED);
    }
}

/* ---- the MPI's predefined handles: addresses of objects in Open MPI ------------------------ */

#ifdef OPEN_MPI
static void *predefined(void **cached, const char *name)
{
    void *object = __atomic_load_n(cached, __ATOMIC_RELAXED);
    if (!object) {
        object = jst_object(name);
        __atomic_store_n(cached, object, __ATOMIC_RELAXED);
    }
    return object;
}

static MPI_Comm world_comm(void)
{
    static void *object;
    return predefined(&object, "ompi_mpi_comm_world");
}

static MPI_Datatype null_type(void)
{
    static void *object;
    return predefined(&object, "ompi_mpi_datatype_null");
}
#else
static MPI_Comm world_comm(void)
{
    return MPI_COMM_WORLD;
}

static MPI_Datatype null_type(void)
{
    return MPI_DATATYPE_NULL;
}
#endif

/* ---- datatypes ----------------------------------------------------------------------------- */

uint64_t jst_size_slow(MPI_Datatype type)
{
    MPI_Count size = 0;
    if (type == null_type()) {
        return 0; /* a query would be an error of the program */
    }
    if (jst_pmpi.Type_size_x) {
        jst_pmpi.Type_size_x(type, &size);
    } else {
        int narrow = 0;
        jst_pmpi.Type_size(type, &narrow);
        size = narrow;
    }
    if (size < 0) {
        return 0;
    }
    store(&jst_sizes, jst_key((uintptr_t)type), (uint64_t)size);
    return (uint64_t)size;
}

uint64_t jst_size_slow_f(MPI_Fint type)
{
    const uint64_t size = jst_size(jst_c_type(type));
    store(&jst_sizes_f, (uint32_t)type, size);
    return size;
}

void jst_drop_type(MPI_Datatype type)
{
    drop(&jst_sizes, jst_key((uintptr_t)type));
#ifndef JST_INTEGER_HANDLES
    if (type && type != null_type()) {
        drop(&jst_sizes_f, (uint32_t)jst_pmpi.Type_c2f(type));
    }
#endif
}

/* ---- communicators ------------------------------------------------------------------------- */

int jst_world_size(void)
{
    int size = __atomic_load_n(&world_size, __ATOMIC_RELAXED);
    int initialised = 0;
    if (size == 0) {
        jst_pmpi.Initialized(&initialised);
        if (!initialised) {
            return __atomic_load_n(&jst_session_size, __ATOMIC_RELAXED);
        }
        const MPI_Comm world = world_comm();
        jst_pmpi.Comm_size(world, &size);
        __atomic_store_n(&jst_world, world, __ATOMIC_RELAXED);
#ifndef JST_INTEGER_HANDLES
        __atomic_store_n(&jst_world_f, jst_pmpi.Comm_c2f(world), __ATOMIC_RELAXED);
#endif
        __atomic_store_n(&world_size, size, __ATOMIC_RELAXED);
    }
    return size;
}

uint32_t jst_comm_slow(MPI_Comm comm)
{
    int inter = 0;
    int size = 0;
    jst_pmpi.Comm_test_inter(comm, &inter);
    jst_pmpi.Comm_size(comm, &size);
    uint32_t fact = (uint32_t)size & JST_COMM_MEMBERS;
    if (inter) {
        fact |= JST_COMM_INTER;
    } else if (size == jst_world_size()) {
        fact |= JST_COMM_WORLD;
    }
    if ((unsigned)size <= JST_COMM_MEMBERS) {
        store(&jst_comms, jst_key((uintptr_t)comm), fact);
    }
    return fact;
}

uint32_t jst_comm_slow_f(MPI_Fint comm)
{
    const uint32_t fact = jst_comm(jst_c_comm(comm));
    store(&jst_comms_f, (uint32_t)comm, fact);
    return fact;
}

void jst_drop_comm(MPI_Comm comm)
{
    jst_roster_drop(jst_key((uintptr_t)comm));
    drop(&jst_comms, jst_key((uintptr_t)comm));
    drop(&degrees, jst_key((uintptr_t)comm));
#ifndef JST_INTEGER_HANDLES
    if (comm) {
        drop(&jst_comms_f, (uint32_t)jst_pmpi.Comm_c2f(comm));
    }
#endif
}

int jst_rank(MPI_Comm comm)
{
    int rank = 0;
    jst_pmpi.Comm_rank(comm, &rank);
    return rank;
}

uint64_t jst_members(MPI_Comm comm)
{
    int size = 0;
    jst_pmpi.Comm_size(comm, &size);
    return (uint64_t)size;
}

uint64_t jst_ranks(MPI_Comm comm)
{
    const uint32_t fact = jst_comm(comm);
    int size = 0;
    if (!(fact & JST_COMM_INTER)) {
        return fact & JST_COMM_MEMBERS;
    }
    jst_pmpi.Comm_remote_size(comm, &size);
    return (uint64_t)size;
}

bool jst_is_root(int root, MPI_Comm comm)
{
    return jst_comm(comm) & JST_COMM_INTER ? root == MPI_ROOT : root == jst_rank(comm);
}

bool jst_is_leaf(int root, MPI_Comm comm)
{
    return jst_comm(comm) & JST_COMM_INTER ? root >= 0 : root != jst_rank(comm);
}

bool jst_contributes(int root, MPI_Comm comm)
{
    return root >= 0 || !(jst_comm(comm) & JST_COMM_INTER);
}

/** Neighbours of this rank in comm's topology. */
static void ask_degrees(MPI_Comm comm, int *in, int *out)
{
    int kind = MPI_UNDEFINED;
    int weighted;
    *in = 0;
    *out = 0;
    jst_pmpi.Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        jst_pmpi.Cartdim_get(comm, out);
        *out *= 2;
        *in = *out;
    } else if (kind == MPI_GRAPH) {
        jst_pmpi.Graph_neighbors_count(comm, jst_rank(comm), out);
        *in = *out;
    } else if (kind == MPI_DIST_GRAPH) {
        jst_pmpi.Dist_graph_neighbors_count(comm, in, out, &weighted);
    }
}

static void neighbours(MPI_Comm comm, int *in, int *out)
{
    const uint64_t key = jst_key((uintptr_t)comm);
    uint32_t fact;
    if (jst_cache_find(&degrees, key, &fact)) {
        *in = (int)(fact >> 12);
        *out = (int)(fact & 0xfffu);
        return;
    }
    ask_degrees(comm, in, out);
    if (*in <= 0xfff && *out <= 0xfff) {
        store(&degrees, key, (uint64_t)*in << 12 | (uint64_t)*out);
    }
}

uint64_t jst_out(MPI_Comm comm)
{
    int in;
    int out;
    neighbours(comm, &in, &out);
    return (uint64_t)out;
}

uint64_t jst_in(MPI_Comm comm)
{
    int in;
    int out;
    neighbours(comm, &in, &out);
    return (uint64_t)in;
}

/* ---- arrays -------------------------------------------------------------------------------- */

uint64_t jst_at(const void *array, size_t width, uint64_t index)
{
    return width == 8 ? ((const uint64_t *)array)[index]
                      : (uint64_t)((const int32_t *)array)[index];
}

uint64_t jst_sum(const void *array, size_t width, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += jst_at(array, width, i);
    }
    return sum;
}

uint64_t jst_dot(const void *array, size_t width, const MPI_Datatype *types, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t elements = jst_at(array, width, i);
        sum += elements ? elements * jst_size(types[i]) : 0;
    }
    return sum;
}

uint64_t jst_dot_f(const void *array, size_t width, const MPI_Fint *types, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t elements = jst_at(array, width, i);
        sum += elements ? elements * jst_size_f(types[i]) : 0;
    }
    return sum;
}

/* ---- Fortran's MPI_IN_PLACE: the address of an object -------------------------------------- */

#ifdef OPEN_MPI
static const char *const in_place_names[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place__",
                                             "mpi_fortran_in_place", "MPI_FORTRAN_IN_PLACE"};
#else
static const char *const in_place_names[] = {"MPIR_F08_MPI_IN_PLACE", "MPIR_F_MPI_IN_PLACE"};
#endif
#define IN_PLACES (sizeof(in_place_names) / sizeof(in_place_names[0]))

bool jst_in_place_f(const void *buffer, bool described)
{
    static void *places[IN_PLACES];
    static bool asked;
    if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
        for (size_t i = 0; i < IN_PLACES; i++) {
            __atomic_store_n(&places[i], jst_object(in_place_names[i]), __ATOMIC_RELAXED);
        }
        __atomic_store_n(&asked, true, __ATOMIC_RELEASE);
    }
    if (described) {
        buffer = *(void *const *)buffer;
    }
    for (size_t i = 0; i < IN_PLACES; i++) {
        void *place = __atomic_load_n(&places[i], __ATOMIC_RELAXED);
        if (place && buffer == place) {
            return true;
        }
    }
#ifdef OPEN_MPI
    return false;
#else
    /* mpif.h and `use mpi` of MPICH: a variable that points to the program's common block. */
    void *const variable = __atomic_load_n(&places[1], __ATOMIC_RELAXED);
    return buffer == MPI_IN_PLACE || (variable && buffer == *(void **)variable);
#endif
}
