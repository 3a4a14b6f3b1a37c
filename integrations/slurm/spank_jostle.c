/* spank_jostle.c: Slurm's plugin: preloads jostle into every task, unless its user says --jostle=off.
 *
 *     optional /opt/jostle/lib/slurm/spank_jostle.so min_slice=100ms max_slice=10s
 *
 * In a job it sets LD_PRELOAD, CUDA_INJECTION64_PATH, JOSTLE_SLICE where a slice is asked for, and
 * APPTAINERENV_LD_PRELOAD (below). It starts no thread, waits for nothing, opens no file and reports nothing but success:
 * whatever goes wrong here, the job runs as it would without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "preload_plan.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT const char plugin_name[];
extern EXPORT const char plugin_type[];
extern EXPORT const unsigned int plugin_version;
extern EXPORT const unsigned int spank_plugin_version;

const char plugin_name[] = "jostle";
const char plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1;

static struct jst_site site;
static struct jst_choice choice;

static void refuse(const char *text, enum jst_answer answer)
{
    if (answer == JST_NO_SLICES)
        slurm_spank_log("jostle: this cluster has one slice length; --jostle=%.20s is ignored",
                        text);
    else if (answer == JST_OUTSIDE)
        slurm_spank_log(
            "jostle: slices here are %u ms to %u ms; --jostle=%.20s is ignored",
            (unsigned)(site.min_slice_ns / 1000000),
            (unsigned)((site.max_slice_ns ? site.max_slice_ns : 60000000000u) / 1000000), text);
    else
        slurm_spank_log("jostle: --jostle takes on, off or a slice such as 500ms; "
                        "'%.20s' is ignored",
                        text);
}

static int take_option(int value, const char *text, int remote)
{
    (void)value;
    enum jst_answer answer = text ? jst_plan_option(&site, text, &choice) : JST_ACCEPTED;
    if (answer != JST_ACCEPTED && !remote) /* once, where the user is */
        refuse(text, answer);
    return ESPANK_SUCCESS;
}

static struct spank_option option = {
    .name = (char *)"jostle",
    .arginfo = (char *)"on|off|SLICE",
    .usage = (char *)"profile this job (jostle): on, off, or a slice length such as 500ms",
    .has_arg = 1,
    .cb = take_option,
};

EXPORT int slurm_spank_init(spank_t spank, int ac, char **av)
{
    spank_context_t context = spank_context();
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE)
        return ESPANK_SUCCESS;
    site = (struct jst_site){.profile = true, .container = "APPTAINERENV_LD_PRELOAD"};
    for (int i = 0; i < ac; i++)
        if (av[i] && !jst_plan_argument(&site, av[i]))
            slurm_verbose("jostle: plugstack.conf: '%.60s' is not understood", av[i]);
    choice = (struct jst_choice){.profile = site.profile};
    (void)spank_option_register(spank, &option);
    return ESPANK_SUCCESS;
}

/* The library as the task will see it: in a container it may not be there. */
static const char *find_library(void)
{
    static char found[JST_LIBRARY_MAX];
    if (site.library[0])
        return access(site.library, R_OK) ? NULL : site.library;
    Dl_info self;
    if (!dladdr(&site, &self) || !self.dli_fname)
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (jst_plan_library(self.dli_fname, i, found, sizeof found) && !access(found, R_OK))
            return found;
    return NULL;
}

/* Launchers of containers hand LD_PRELOAD on into an image that has no such file, whose loader then
 * complains in every program. Apptainer lets this variable take its place in the container; a user
 * who has set it keeps it. Others start the program themselves (runtime/src/wrappers/life.c). */
static void spare_containers(spank_t spank, const char *preload, char *out)
{
    if (site.container && jst_plan_without(preload, out, JST_PRELOAD_MAX))
        (void)spank_setenv(spank, site.container, out, 0);
}

/* Who asks for it (JOSTLE_GPU=on or kernels): the recorder next to the library, which the CUDA driver loads. A variable
 * that is set stays. `out` has room for the path. */
static void set_recorder(spank_t spank, const char *library, char *out)
{
    static const char recorder[] = "libjostle_cuda.so";
    char wanted[16];
    const char *end = strrchr(library, '/');
    if (spank_getenv(spank, "JOSTLE_GPU", wanted, sizeof wanted) != ESPANK_SUCCESS ||
        (strcmp(wanted, "on") != 0 && strcmp(wanted, "kernels") != 0) || !end)
        return;
    size_t folder = (size_t)(end + 1 - library);
    memcpy(out, library, folder);
    memcpy(out + folder, recorder, sizeof recorder);
    if (!access(out, R_OK))
        (void)spank_setenv(spank, "CUDA_INJECTION64_PATH", out, 0);
}

/* The library by the name that also a 32-bit program's loader can follow; where there is none, its own path. */
static const char *name_for_loaders(const char *library)
{
    static char name[JST_LIBRARY_MAX];
    const char *platform = (const char *)getauxval(AT_PLATFORM);
    bool there = jst_plan_for_loaders(library, platform, name, sizeof name) &&
                 !access(name, R_OK) &&
                 jst_plan_for_loaders(library, JST_PLATFORM, name, sizeof name);
    return there ? name : library;
}

/* srun hands on what the script's node had: a library that is not on this node is left out, since each loader would
 * complain of it. Returns whether it was. */
static bool leave_out_gone(char *old, char *out)
{
    char file[PATH_MAX];
    if (!jst_plan_inherited(old, file, sizeof file) || !access(file, F_OK) || errno != ENOENT ||
        !jst_plan_without(old, out, JST_PRELOAD_MAX))
        return false;
    memcpy(old, out, strlen(out) + 1);
    return true;
}

static void set_up(spank_t spank, char *old, char *out)
{
    const char *now = NULL;
    spank_err_t error = spank_getenv(spank, "LD_PRELOAD", old, JST_PRELOAD_MAX);
    if (error == ESPANK_SUCCESS)
        now = old;
    else if (error != ESPANK_ENV_NOEXIST)
        return;
    if (now && leave_out_gone(old, out))
        (void)(*old ? spank_setenv(spank, "LD_PRELOAD", old, 1)
                    : spank_unsetenv(spank, "LD_PRELOAD"));
    const char *library = choice.profile ? find_library() : NULL;
    const char *name = library ? name_for_loaders(library) : NULL;
    switch (jst_plan_preload(now, name, choice.profile, out)) {
    case JST_UNSET:
        (void)spank_unsetenv(spank, "LD_PRELOAD");
        break;
    case JST_SET:
        (void)spank_setenv(spank, "LD_PRELOAD", out, 1);
        break;
    case JST_LEAVE:
        break;
    }
    if (!library)
        return;
    if (choice.slice[0])
        (void)spank_setenv(spank, "JOSTLE_SLICE", choice.slice, 1);
    spare_containers(spank, now ? now : "", out);
    set_recorder(spank, library, out);
}

EXPORT int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    (void)ac;
    (void)av;
    char *buffer = calloc(2, JST_PRELOAD_MAX + JST_LIBRARY_MAX + 2);
    if (buffer) {
        set_up(spank, buffer, buffer + JST_PRELOAD_MAX + JST_LIBRARY_MAX + 2);
        free(buffer);
    }
    return ESPANK_SUCCESS;
}
