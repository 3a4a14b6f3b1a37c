/* mpi_find.c: finds the MPI in the process, and its functions.
 *
 * Usually it is in the global scope, after us. Python packages load theirs with RTLD_LOCAL: there
 * every object of the process is searched. Other tools between us and the MPI come first.
 */
#include <dlfcn.h>
#include <link.h>

#include "common.h"
#include "mpi_host.h"
#include "symbols/loaded_object.h"

extern const char jst_mpi_names_begin[], jst_mpi_names_end[];

static void *_Atomic library;           /* handle of the MPI when it is in no global scope */
static _Atomic bool found;              /* in the global scope, or by handle */
static _Atomic unsigned long long seen; /* number of objects ever loaded when we last looked */

static bool is_ours(const void *p)
{
    return (const char *)p >= jst_mpi_names_begin && (const char *)p < jst_mpi_names_end;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(unsigned long long *)argument = info->dlpi_adds;
    return 1;
}

bool jst_mpi_found(void)
{
    static const char *const functions[] = {"MPI_Init", "PMPI_Init", NULL};
    unsigned long long loads = 0;
    if (atomic_load_explicit(&found, memory_order_acquire))
        return true;
    dl_iterate_phdr(count_loads, &loads);
    if (loads && loads == atomic_load(&seen))
        return false;
    if (dlsym(RTLD_NEXT, "PMPI_Init")) {
        atomic_store(&found, true);
        return true;
    }
    void *object = jst_object_with(functions, is_ours);
    if (object) {
        atomic_store(&library, object);
        atomic_store(&found, true);
        return true;
    }
    atomic_store(&seen, loads);
    return false;
}

/* ---- functions ---- */

void *jst_mpi_real(const char *name)
{
    const char *const wanted[] = {name, NULL};
    void *object, *p = dlsym(RTLD_NEXT, name);
    if (!p && (object = atomic_load(&library)))
        p = dlsym(object, name);
    /* The Fortran library of an MPI may be in a local scope of its own. */
    if (!p && !jst_mpi_name_is_c(name) && (object = jst_object_with(wanted, is_ours)))
        p = dlsym(object, name);
    return is_ours(p) ? NULL : p;
}

void jst_mpi_version(char *text, unsigned room)
{
    int length = 0;
    int (*version)(char *, int *) = (int (*)(char *, int *))jst_mpi_real("MPI_Get_library_version");
    text[0] = 0;
    if (version && version(text, &length) == 0 && length >= 0 && (unsigned)length < room)
        text[length] = 0;
    text[room - 1] = 0;
}

/* The object that holds a function: already loaded, it gets flags and a reference. */
static void *object_of(void *function, int flags)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname
               ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | flags)
               : NULL;
}

/* The object of the function, or one that it needs, has an entry that only an MPI has. */
bool jst_mpi_owns(void *function)
{
    static const char entries[][16] = {"PMPI_Init",      "pmpi_init_", "pmpi_init__",
                                       "pmpi_init_f08_", "pmpi_init",  "PMPI_INIT"};
    void *object = object_of(function, 0);
    bool owns = false;
    for (unsigned i = 0; object && !owns && i < sizeof entries / sizeof *entries; i++)
        owns = dlsym(object, entries[i]) != NULL;
    if (object)
        dlclose(object);
    return owns;
}

/* Slots lead into it from now on. */
void jst_mpi_keep_loaded(void)
{
    void *init = jst_mpi_real("PMPI_Init");
    if (init)
        object_of(init, RTLD_NODELETE);
}
