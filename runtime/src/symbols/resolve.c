/* resolve.c: finds the functions that are wrapped, each when it is first called.
 *
 * RATIONALE: most programs call few of them, and looking all of them up took a quarter of jostle's
 * cost in a short-lived process. A first call may be in a signal handler or in a vfork child: so
 * without dlsym, which takes the loader's lock (next_symbol.c). Names that are not found there are
 * looked up by dlsym. The next definition is used, not libc's: other preloaded libraries must also
 * be called.
 */
#include <dlfcn.h>
#include <errno.h>

#include "common.h"
#include "inject.h"
#include "next_symbol.h"
#include "resolve.h"

/* All names in one text: a table of pointers would have to be relocated in each process. */
#define JST_CALL(module, name, ret, params, kind, ...) char JST_N_##name[sizeof #name];
#define JST_CALL_OPT(module, name, ret, params, kind, ...) char JST_N_##name[sizeof #name];
struct names {
#include "../../schema/calls.def"
};
#undef JST_CALL
#undef JST_CALL_OPT

#define JST_CALL(module, name, ret, params, kind, ...) #name,
#define JST_CALL_OPT(module, name, ret, params, kind, ...) #name,
static const struct names names = {
#include "../../schema/calls.def"
};
#undef JST_CALL
#undef JST_CALL_OPT

#define JST_CALL(module, name, ret, params, kind, ...) offsetof(struct names, JST_N_##name),
#define JST_CALL_OPT(module, name, ret, params, kind, ...) offsetof(struct names, JST_N_##name),
static const uint16_t name_at[] = {
#include "../../schema/calls.def"
};
#undef JST_CALL
#undef JST_CALL_OPT

void *jst_reals[JST_CALLS];

/* Normally in the compiler's start files: this library is linked without them. */
__attribute__((weak, visibility("hidden"))) char __dso_handle;

/* The result for a function that this system lacks. Only names that libc may lack can lead here
 * (JST_CALL_OPT), and all of them return an integer. */
static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

static void *ask_loader(const char *name)
{
    int saved = errno;
    void *p = dlsym(RTLD_NEXT, name);
    errno = saved;
    return p ? p : (void *)missing;
}

JST_COLD void *jst_resolve(unsigned index)
{
    const char *name = (const char *)&names + name_at[index];
    void *p = jst_next_find(name);
    p = jst_inject_io(index, p ? p : ask_loader(name));
    __atomic_store_n(&jst_reals[index], p, __ATOMIC_RELAXED);
    return p;
}
