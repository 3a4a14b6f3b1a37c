/* folder.h: the folder with the files of a signal: made, kept from filling the disk, removed
 * however the signal ends. */
#ifndef JST_SIGNAL_FOLDER_H
#define JST_SIGNAL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes DIR/jostle-signal-JOB-PID-TIME and writes its absolute path; says why not. */
bool jst_folder_make(char *folder, size_t size, const char *dir, const char *job);

/* Finds how many bytes the folder's file system has for us; 0, or -errno. */
long jst_folder_space(const char *folder, uint64_t *bytes);

/* Removes all that is in a folder, or what is named RANK or RANK.something when rank >= 0. Calls
 * nothing but the kernel. */
void jst_folder_empty(const char *folder, int rank);

/* The same, and then the folder itself, should it be empty; true when it is gone. Only when no
 * process works in it any more: it may be empty between two files of another process. */
bool jst_folder_remove(const char *folder, int rank);

/* A process of its own, in a session of its own, that removes the folder if this process (and those
 * forked from it) end without having called jst_janitor_done(). Started before anything else:
 * before MPI, and before there is memory that a fork would have to share. */
void jst_janitor_start(void);
void jst_janitor_watch(const char *folder, int rank);
void jst_janitor_done(void);

#endif
