/* tree.h: a folder that stands for / in a test of sources, where fixtures are not enough. */
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

#endif
