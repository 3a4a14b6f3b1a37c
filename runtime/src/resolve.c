/* resolve.c: finds the functions that the wrappers stand in front of.
 *
 * RATIONALE: all of them when the library comes up, so that no call of the program waits for the
 * loader's lock, and without dlsym, which has other faults (next_symbol.c). What is not found then is asked
 * of dlsym at its first call. The next definition, not libc's: other preloaded libraries have a
 * right to their turn.
 */
#include <dlfcn.h>
#include <errno.h>

#include "common.h"
#include "inject.h"
#include "next_symbol.h"
#include "resolve.h"

#define JST_CALL(module, name, ret, params, kind) #name,
#define JST_CALL_OPT(module, name, ret, params, kind) #name,
static const char *const names[] = {
#include "../../schema/calls.def"
};
#undef JST_CALL
#undef JST_CALL_OPT

void *jst_reals[JST_CALLS];

/* What a program gets for a function that this system lacks. Only names that libc may lack can end
 * here (JST_CALL_OPT), and all of them return an integer. */
static long missing(void)
{
    errno = ENOSYS;
    return -1;
}

static void *found(unsigned index, void *real)
{
    void *p = jst_inject_io(index, real);
    __atomic_store_n(&jst_reals[index], p, __ATOMIC_RELAXED);
    return p;
}

JST_COLD void *jst_resolve(unsigned index)
{
    int saved = errno;
    void *p = dlsym(RTLD_NEXT, names[index]);
    p = found(index, p ? p : (void *)missing);
    errno = saved;
    return p;
}

void jst_resolve_all(void)
{
    JST_SCRATCH static jst_next next;
    jst_next_open(&next);
    for (unsigned i = 0; i < JST_CALLS; i++) {
        void *p = jst_real_known(i) ? NULL : jst_next_find(&next, names[i]);
        if (p)
            found(i, p);
    }
}
