/* loaded_object.c: searches every object of the process, also those of a local scope, which
 * dlsym(RTLD_NEXT) does not find: Python loads packages this way. */
#include <dlfcn.h>
#include <link.h>

#include "common.h"
#include "loaded_object.h"
#include "sys.h"
#include "text.h"

#define NAMES_BYTES (256 * 1024)

struct objects {
    char *next, *end;
};

/* RATIONALE: names are copied, since dlopen inside the iteration would take the loader's locks in
 * another order than other threads do. */
static int copy_name(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct objects *o = argument;
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] && o->next + 2 < o->end) {
        char *p = jst_put_text(o->next, o->end, info->dlpi_name);
        if (p + 2 < o->end)
            o->next = p + 1;
    }
    return 0;
}

static bool has(void *object, const char *const *wanted, bool (*is_ours)(const void *))
{
    for (; *wanted; wanted++) {
        void *p = dlsym(object, *wanted);
        if (!p || is_ours(p))
            return false;
    }
    return true;
}

void *jst_object_with(const char *const *wanted, bool (*is_ours)(const void *))
{
    long room = jst_sys6(SYS_mmap, 0, NAMES_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room < 0 && room > -4096)
        return NULL;
    struct objects o = {(char *)room, (char *)room + NAMES_BYTES};
    dl_iterate_phdr(copy_name, &o);
    void *fits = NULL;
    for (char *name = (char *)room; !fits && name < o.next; name += jst_strlen(name) + 1) {
        void *object = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
        if (object && has(object, wanted, is_ours))
            fits = object;
        else if (object)
            dlclose(object);
    }
    jst_sys2(SYS_munmap, room, NAMES_BYTES);
    return fits;
}

void *jst_function_behind(const char *name, bool (*is_ours)(const void *))
{
    const char *const wanted[] = {name, NULL};
    void *p = dlsym(RTLD_NEXT, name), *object;
    if (!p && (object = jst_object_with(wanted, is_ours)))
        p = dlsym(object, name);
    return p;
}
