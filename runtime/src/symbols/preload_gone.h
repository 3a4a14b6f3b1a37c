/* preload_gone.h: whether the program that an exec starts will find this library (preload_gone.c). */
#ifndef JST_PRELOAD_GONE_H
#define JST_PRELOAD_GONE_H

#include <stddef.h>

/* The change of an environment by an exec; `bytes` 0: none. */
struct jst_preload_gone {
    size_t variables; /* in the environment */
    size_t place;     /* of LD_PRELOAD among them */
    size_t bytes;     /* of its new text, with the NUL */
};

struct jst_preload_gone jst_preload_gone(char *const envp[]);

/* Fills a new environment: `envp` has space for variables + 1, `text` for bytes. */
void jst_without_preload(struct jst_preload_gone what, char *const old[], char **envp, char *text);

#endif
