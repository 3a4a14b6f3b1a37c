/* resolve.c: finds the function that a wrapper stands in front of, at its first call.
 *
 * RATIONALE: lazily, because looking up all names costs more than the whole life of /bin/true;
 * with RTLD_NEXT, because other preloaded libraries have a right to their turn.
 */
#include <dlfcn.h>
#include <errno.h>

#include "inject.h"
#include "jst.h"

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

JST_COLD void *jst_resolve(unsigned index)
{
    int saved = errno;
    void *p = dlsym(RTLD_NEXT, names[index]);
    if (!p)
        p = (void *)missing;
    p = jst_inject_io(index, p);
    __atomic_store_n(&jst_reals[index], p, __ATOMIC_RELAXED);
    errno = saved;
    return p;
}
