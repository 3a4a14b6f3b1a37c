/* next_symbol.h: looks up definitions after ours without dlsym. */
#ifndef JST_NEXT_H
#define JST_NEXT_H

/** Remembers which libraries are loaded after this one. Call it before the program loads any by dlopen. */
void jst_next_begin(void);

/** Returns the function that dlsym(RTLD_NEXT, name) would find; NULL if dlsym has to be used. No
 *  lock, no system call: safe in a signal handler and in a vfork child. */
void *jst_next_find(const char *name);

#endif
