/* preload_plan.c: the decisions of the SPANK plugin. Every text that comes here is untrusted. */
#include "preload_plan.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_S 1000000000u

static const char *behind(const char *text, const char *begin)
{
    size_t n = strlen(begin);
    return strncmp(text, begin, n) ? NULL : text + n;
}

uint64_t jst_plan_length(const char *text)
{
    uint64_t ns = 0, scale = NS_PER_S;
    const char *p = text;
    bool digits = false;
    for (; *p >= '0' && *p <= '9' && ns <= 100000 * (uint64_t)NS_PER_S; p++, digits = true)
        ns = ns * 10 + (uint64_t)(*p - '0') * NS_PER_S;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9' && scale > 1; p++, digits = true) {
            scale /= 10;
            ns += (uint64_t)(*p - '0') * scale;
        }
    if (!digits)
        return 0;
    if (!strcmp(p, "ms"))
        ns /= 1000;
    else if (*p && strcmp(p, "s") != 0)
        return 0;
    return ns >= NS_PER_S / 10 && ns <= 60 * (uint64_t)NS_PER_S ? ns : 0;
}

/* The loader separates names at colons and spaces. */
static bool is_library(const char *path)
{
    return path[0] == '/' && strlen(path) < JST_LIBRARY_MAX && !strpbrk(path, ": \t\n");
}

bool jst_plan_argument(struct jst_site *site, const char *word)
{
    const char *v;
    if ((v = behind(word, "min_slice=")) || (v = behind(word, "max_slice="))) {
        uint64_t ns = jst_plan_length(v);
        if (ns)
            *(word[1] == 'i' ? &site->min_slice_ns : &site->max_slice_ns) = ns;
        return ns != 0;
    }
    if ((v = behind(word, "library=")) && is_library(v)) {
        memcpy(site->library, v, strlen(v) + 1);
        return true;
    }
    if ((v = behind(word, "default=")) && (!strcmp(v, "on") || !strcmp(v, "off"))) {
        site->profile = !strcmp(v, "on");
        return true;
    }
    if (!strcmp(word, "container=apptainer"))
        site->container = "APPTAINERENV_LD_PRELOAD";
    else if (!strcmp(word, "container=singularity"))
        site->container = "SINGULARITYENV_LD_PRELOAD";
    else if (!strcmp(word, "container=none"))
        site->container = NULL;
    else
        return false;
    return true;
}

enum jst_answer jst_plan_option(const struct jst_site *site, const char *text,
                                struct jst_choice *choice)
{
    if (!strcmp(text, "off") || !strcmp(text, "on")) {
        choice->profile = !strcmp(text, "on");
        choice->slice[0] = 0;
        return JST_ACCEPTED;
    }
    uint64_t ns = jst_plan_length(text);
    if (!ns || strlen(text) >= JST_SLICE_MAX)
        return JST_UNKNOWN;
    if (!site->min_slice_ns && !site->max_slice_ns)
        return JST_NO_SLICES;
    if (ns < site->min_slice_ns || (site->max_slice_ns && ns > site->max_slice_ns))
        return JST_OUTSIDE;
    choice->profile = true;
    memcpy(choice->slice, text, strlen(text) + 1);
    return JST_ACCEPTED;
}

static bool is_ours(const char *name, size_t length)
{
    static const char library[] = "/" JST_LIBRARY;
    size_t n = sizeof library - 1;
    return length >= n && !memcmp(name + length - n, library, n);
}

static bool holds_ours(const char *names)
{
    for (const char *p = names; *p; p += *p != 0) {
        size_t n = strcspn(p, ": ");
        if (is_ours(p, n))
            return true;
        p += n;
    }
    return false;
}

bool jst_plan_without(const char *old, char *out, size_t size)
{
    if (strlen(old) >= size)
        return false;
    char *end = out;
    for (const char *p = old; *p; p += *p != 0) {
        size_t n = strcspn(p, ": ");
        if (n && !is_ours(p, n)) {
            if (end > out)
                *end++ = ':';
            memcpy(end, p, n);
            end += n;
        }
        p += n;
    }
    *end = 0;
    return true;
}

enum jst_change jst_plan_preload(const char *old, const char *library, bool profile, char *out)
{
    if (old && strlen(old) >= JST_PRELOAD_MAX)
        return JST_LEAVE;
    if (profile) {
        if (!library || (old && holds_ours(old)))
            return JST_LEAVE;
        size_t n = strlen(library);
        memcpy(out, library, n);
        if (old && *old) {
            out[n++] = ':';
            memcpy(out + n, old, strlen(old));
            n += strlen(old);
        }
        out[n] = 0;
        return JST_SET;
    }
    /* A step of a script that is profiled has inherited it. */
    if (!old || !holds_ours(old) || !jst_plan_without(old, out, JST_PRELOAD_MAX))
        return JST_LEAVE;
    return *out ? JST_SET : JST_UNSET;
}

bool jst_plan_library(const char *plugin, unsigned number, char *out, size_t size)
{
    const char *end = strrchr(plugin, '/');
    while (end && number--) {
        while (end > plugin && end[-1] != '/')
            end--;
        end = end > plugin + 1 ? end - 1 : NULL;
    }
    if (!end || (size_t)(end - plugin) + sizeof "/" JST_LIBRARY > size)
        return false;
    memcpy(out, plugin, (size_t)(end - plugin));
    memcpy(out + (end - plugin), "/" JST_LIBRARY, sizeof "/" JST_LIBRARY);
    return is_library(out);
}

bool jst_plan_for_loaders(const char *library, const char *platform, char *out, size_t size)
{
    const char *name = strrchr(library, '/');
    if (!name || strcmp(name, "/" JST_LIBRARY) != 0 || !platform)
        return false;
    int n = snprintf(out, size, "%.*s/jostle-preload/%s%s", (int)(name - library), library,
                     platform, name);
    return n > 0 && (size_t)n < size;
}

bool jst_plan_inherited(const char *old, char *out, size_t size)
{
    static const char platform[] = "/" JST_PLATFORM "/" JST_LIBRARY;
    for (const char *p = old; *p; p += *p != 0) {
        size_t n = strcspn(p, ": "), tail = sizeof platform - 1;
        if (*p == '/' && n < size && is_ours(p, n)) {
            /* jostle-preload/libjostle.so stands for all platforms. */
            bool any = n >= tail && !memcmp(p + n - tail, platform, tail);
            size_t folder = n - (any ? tail : sizeof "/" JST_LIBRARY - 1);
            memcpy(out, p, folder);
            memcpy(out + folder, "/" JST_LIBRARY, sizeof "/" JST_LIBRARY);
            return true;
        }
        p += n;
    }
    return false;
}
