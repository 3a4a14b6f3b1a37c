/* sysfs.h: numbers in the kernel's small files, and names in its folders. */
#ifndef JST_SYSFS_H
#define JST_SYSFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

#define JST_PATH 512
#define JST_NAME 128

typedef enum jst_found {
    JST_THERE,  /* it is there, and usable */
    JST_ABSENT, /* there is no such file */
    JST_BAD     /* it is there, but cannot be read or has no number */
} jst_found;

/** The unsigned decimal number at the beginning of a text, after blanks; end: after the number.
 *  False: there is none, or it is beyond 64 bits. */
bool jst_scan_number(const char *text, uint64_t *number, const char **end);
/** The number in `key NUMBER` of a text of lines (cpu.stat, memory.stat). A last line without its end does
 *  not count: its number may be cut. */
jst_found jst_scan_key(const char *text, const char *key, uint64_t *number);

/** How many CPUs a list such as `0,28` or `0-3` names; 0 for what is no list. cpus: the first n of them. */
unsigned jst_cpu_list(const char *text, unsigned *cpus, unsigned n);

/** `folder/name`, or false when that is too long. */
bool jst_join(char to[JST_PATH], const char *folder, const char *name);
/** The text of folder/name, of less than n bytes; it may be empty. */
jst_found jst_file_text(const char *folder, const char *name, char *to, size_t n);
/** The number that is all of folder/name. */
jst_found jst_file_number(const char *folder, const char *name, uint64_t *number);
/** One word of letters, digits and `-_.:+[]@` in folder/name, without blanks around it: names of devices
 *  and sensors. Other characters become `_`. */
jst_found jst_file_word(const char *folder, const char *name, char word[JST_NAME]);

/* The position of a device. */
typedef struct jst_place {
    char path
        [JST_PATH]; /* its folder below /sys/devices, which names switches and the root; "": not known */
    uint32_t numa; /* its NUMA node, plus 1; 0: not known */
} jst_place;
/** The position of the device that a link in /sys names. */
jst_place jst_place_of(const char *device);

/** Opens a folder of the kernel below jst_root; NULL when there is none. */
DIR *jst_open_folder(const char *path);
/** The next name that begins with `with`, shorter than JST_NAME, except "." and ".."; NULL at the
 * end. */
const char *jst_next_name(DIR *folder, const char *with);

#endif
