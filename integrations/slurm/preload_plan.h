/* preload_plan.h: what the SPANK plugin decides, without Slurm: arguments of the operator, the
 * option of the user, and the new value of LD_PRELOAD. Nothing here touches a file or allocates. */
#ifndef JST_PRELOAD_PLAN_H
#define JST_PRELOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JST_LIBRARY "libjostle.so"
#define JST_PLATFORM "$PLATFORM" /* each loader puts in its own */
/* A longer LD_PRELOAD is left as it is. */
#define JST_PRELOAD_MAX 65536
#define JST_LIBRARY_MAX 1024
#define JST_SLICE_MAX 16

/* What plugstack.conf says behind the plugin's path. */
struct jst_site {
    bool profile;          /* default=on|off: jobs whose user says nothing */
    uint64_t min_slice_ns; /* min_slice=, max_slice=: 0 in both: users choose none */
    uint64_t max_slice_ns;
    char library[JST_LIBRARY_MAX]; /* library=PATH; "": next to the plugin, or above it */
    const char *container;         /* container=: whose launchers get their variable: see below */
};

/* What --jostle asks for. */
struct jst_choice {
    bool profile;
    char slice[JST_SLICE_MAX]; /* "": the site's */
};

enum jst_answer { JST_ACCEPTED, JST_UNKNOWN, JST_NO_SLICES, JST_OUTSIDE };

enum jst_change { JST_LEAVE, JST_SET, JST_UNSET };

/* A length as in jostle.conf: `4s`, `0.5`, `500ms`; in ns, 0 if it is none from 100 ms to 60 s. */
uint64_t jst_plan_length(const char *text);

/* Takes one word of plugstack.conf. Returns whether it is known and well-formed; else it changes
 * nothing. */
bool jst_plan_argument(struct jst_site *site, const char *word);

/* Takes the value of --jostle. Only where it is accepted, it changes the choice. */
enum jst_answer jst_plan_option(const struct jst_site *site, const char *text,
                                struct jst_choice *choice);

/* What becomes of LD_PRELOAD (NULL: it is not set). A library of ours that is there already stays
 * where its user put it. `out` has room for JST_PRELOAD_MAX + JST_LIBRARY_MAX + 2 bytes. */
enum jst_change jst_plan_preload(const char *old, const char *library, bool profile, char *out);

/* `old` without our library, as a launcher of containers should give it on. Returns whether it
 * fits. */
bool jst_plan_without(const char *old, char *out, size_t size);

/* The name that gives each loader a library of its class (runtime/launcher/preload.cmake):
 * FOLDER/jostle-preload/PLATFORM/libjostle.so for a library FOLDER/libjostle.so. Returns whether there is such a name. */
bool jst_plan_for_loaders(const char *library, const char *platform, char *out, size_t size);

/* The file that a library of ours in `old` must lead to on this node: the first that is named by an absolute path.
 * Returns whether there is one. */
bool jst_plan_inherited(const char *old, char *out, size_t size);

/* The folders where the library may be, from the path of the plugin: number 0 is its own, number 1
 * the one above. Returns whether there is such a path. */
bool jst_plan_library(const char *plugin, unsigned number, char *out, size_t size);

#endif
