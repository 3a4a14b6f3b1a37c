/* resolve.h: the real functions, which the wrappers call (resolve.c). */
#ifndef JST_RESOLVE_H
#define JST_RESOLVE_H

#include "common.h"

#define JST_CALL(module, name, ret, params, kind, ...) JST_I_##name,
#define JST_CALL_OPT(module, name, ret, params, kind, ...) JST_I_##name,
enum jst_call_index {
#include "../../schema/calls.def"
    JST_CALLS
};
#undef JST_CALL
#undef JST_CALL_OPT

extern JST_HIDDEN void *jst_reals[JST_CALLS];
void *jst_resolve(unsigned index);

/** The real function if it has been looked up already, else NULL. */
static inline void *jst_real_known(unsigned index)
{
    return __atomic_load_n(&jst_reals[index], __ATOMIC_RELAXED);
}

static inline void *jst_real(unsigned index)
{
    void *p = jst_real_known(index);
    return JST_LIKELY(p != NULL) ? p : jst_resolve(index);
}

/** The next definition of a wrapped function after ours, typed as the wrapper. */
#define JST_REAL(name) ((__typeof__(&name))jst_real(JST_I_##name))

#endif
