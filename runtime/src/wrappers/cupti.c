/* cupti.c: wraps functions of CUPTI by which a program (a profiler in it) begins to use CUPTI
 * itself.
 *
 * CUPTI serves one, or (from version 13 on) several that all allow it. A program that calls these
 * gets it: jostle's recorder ends its use first where it must, then the call is passed on. Not in
 * calls.def: the next definition may be in a local scope and be loaded late. Programs that look
 * these functions up with dlsym are not seen.
 */
#include "common.h"
#include "modules/gpu.h"
#include "symbols/loaded_object.h"

#define NOT_INITIALIZED 15 /* CUPTI_ERROR_NOT_INITIALIZED */

JST_EXPORT int cuptiSubscribe(void *handle, void *callback, void *data);
JST_EXPORT int cuptiSubscribe_v2(void *handle, void *callback, void *data, void *parameters);
JST_EXPORT int cuptiActivityRegisterCallbacks(void *requested, void *completed);
JST_EXPORT int cuptiActivityRegisterCallbacks_v2(void *handle, void *requested, void *completed);

static bool is_ours(const void *p)
{
    return p == (void *)cuptiSubscribe || p == (void *)cuptiSubscribe_v2 ||
           p == (void *)cuptiActivityRegisterCallbacks ||
           p == (void *)cuptiActivityRegisterCallbacks_v2;
}

/* The first fields of CUpti_SubscriberParams. */
struct subscription {
    size_t size;
    const char *name;
    char *other;
    size_t other_size;
    uint8_t several;
};

static bool allows_others(const struct subscription *s)
{
    return s && s->size > offsetof(struct subscription, several) && s->several == 1;
}

static void *real(const char *name, bool with_others)
{
    jst_gpu_yield(with_others);
    return jst_function_behind(name, is_ours);
}

JST_EXPORT int cuptiSubscribe(void *handle, void *callback, void *data)
{
    int (*next)(void *, void *, void *) =
        (int (*)(void *, void *, void *))real("cuptiSubscribe", false);
    return next ? next(handle, callback, data) : NOT_INITIALIZED;
}

JST_EXPORT int cuptiSubscribe_v2(void *handle, void *callback, void *data, void *parameters)
{
    int (*next)(void *, void *, void *, void *) = (int (*)(void *, void *, void *, void *))real(
        "cuptiSubscribe_v2", allows_others(parameters));
    return next ? next(handle, callback, data, parameters) : NOT_INITIALIZED;
}

JST_EXPORT int cuptiActivityRegisterCallbacks(void *requested, void *completed)
{
    int (*next)(void *, void *) =
        (int (*)(void *, void *))real("cuptiActivityRegisterCallbacks", false);
    return next ? next(requested, completed) : NOT_INITIALIZED;
}

JST_EXPORT int cuptiActivityRegisterCallbacks_v2(void *handle, void *requested, void *completed)
{
    int (*next)(void *, void *, void *) =
        (int (*)(void *, void *, void *))real("cuptiActivityRegisterCallbacks_v2", true);
    return next ? next(handle, requested, completed) : NOT_INITIALIZED;
}
