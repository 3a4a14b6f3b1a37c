/* tree.h: a folder in place of / in a test of sources, where fixtures are not enough. */
#ifndef JST_TREE_H
#define JST_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static char tree[64];

static inline void tree_run(const char *format, const char *what)
{
    char command[1024];
    snprintf(command, sizeof command, format, what);
    if (system(command))
        abort();
}

/* An empty folder, which jst_root names. */
static inline void tree_begin(void)
{
    strcpy(tree, "/tmp/jst-test-XXXXXX");
    if (!mkdtemp(tree))
        abort();
    jst_root = tree;
}

static inline void tree_end(void)
{
    tree_run("rm -rf '%s'", tree);
    jst_root = "";
}

/* Writes n bytes to a file, and makes its folders. */
static inline void tree_put(const char *path, const char *text, size_t n)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", tree, path);
    for (char *c = whole + strlen(tree) + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(whole, 0755);
            *c = '/';
        }
    FILE *f = fopen(whole, "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f))
        abort();
}

static inline void tree_put_text(const char *path, const char *text)
{
    tree_put(path, text, strlen(text));
}

static inline void tree_put_fixture(const char *path, const char *fixture)
{
    static char text[65536];
    char from[512];
    snprintf(from, sizeof from, JST_FIXTURES "/%s", fixture);
    FILE *f = fopen(from, "r");
    if (!f)
        abort();
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    tree_put(path, text, n);
}

static inline void tree_remove(const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", tree, path);
    tree_run("rm -rf '%s'", whole);
}

/* One sample, after which only it counts. */
static inline const char *tree_sample(const jst_source *source, jst_sample *s)
{
    jst_sample_free(s);
    jst_sample_begin(s);
    const char *said = source->sample(s);
    jst_sample_end(s);
    return said;
}

/* One more sample: its increases are added to the existing ones. */
static inline const char *tree_more(const jst_source *source, jst_sample *s)
{
    jst_sample_begin(s);
    const char *said = source->sample(s);
    jst_sample_end(s);
    return said;
}

/* Begins with the folder that a `.tree` of the fixtures describes. A line `@ PATH` begins a file; what
 * follows is its content. `\0` in it is a byte 0, and `\c` at the end leaves out the line's end. */
static inline void tree_begin_with(const char *fixture)
{
    static char text[65536], path[512];
    char line[4096];
    size_t n = 0;
    FILE *from = fopen(fixture, "r");
    if (!from)
        abort();
    tree_begin();
    path[0] = 0;
    while (fgets(line, sizeof line, from)) {
        if (line[0] == '@') {
            if (path[0])
                tree_put(path, text, n);
            snprintf(path, sizeof path, "/%.500s", line + 2);
            path[strcspn(path, "\n")] = 0;
            n = 0;
            continue;
        }
        for (const char *p = line; *p && n < sizeof text; p++)
            if (p[0] == '\\' && p[1] == 'c')
                break;
            else if (p[0] == '\\' && p[1] == '0' && ++p)
                text[n++] = 0;
            else
                text[n++] = *p;
    }
    tree_put(path, text, n);
    fclose(from);
}

/* Makes a folder of a file: reading it fails, like the files of a device that does not answer. */
static inline void tree_break(const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", tree, path);
    if (remove(whole) != 0 || mkdir(whole, 0755) != 0)
        abort();
}

static inline void tree_move(const char *from, const char *to)
{
    char before[512], after[512];
    snprintf(before, sizeof before, "%s%s", tree, from);
    snprintf(after, sizeof after, "%s%s", tree, to);
    if (rename(before, after) != 0)
        abort();
}

/* How many components the newest sample named. */
static inline unsigned tree_named(const jst_sample *s)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < s->room; i++)
        n += s->table[i] && s->table[i]->seen == s->number;
    return n;
}

/* The component if the newest sample named it, or NULL. */
static inline const jst_component *tree_find(const jst_sample *s, enum jst_component_kind kind,
                                             const char *name, const char *job)
{
    for (uint32_t i = 0; i < s->room; i++) {
        const jst_component *c = s->table[i];
        if (c && c->seen == s->number && c->names.kind == kind && !strcmp(c->names.name, name) &&
            !strcmp(c->names.job, job))
            return c;
    }
    return NULL;
}

#endif
