/* config.h: options (config.c; docs/reference/configuration.md). */
#ifndef JST_CONFIG_H
#define JST_CONFIG_H

#include "common.h"

enum jst_segments { JST_SEGMENTS_OFF, JST_SEGMENTS_ON, JST_SEGMENTS_RAW };
enum jst_perf { JST_PERF_AUTO, JST_PERF_ON, JST_PERF_OFF };

enum jst_files { JST_FILES_NAMES, JST_FILES_NAMELESS, JST_FILES_OFF };

enum jst_command { JST_COMMAND_PROGRAM, JST_COMMAND_ALL, JST_COMMAND_NONE };

typedef struct jst_config {
    uint64_t slice_ns;
    char spool[256];
    char job[128];
    char exclude_paths[512]; /* colon separated */
    int segments;            /* enum jst_segments */
    int perf;                /* enum jst_perf: counters of the processor */
    uint64_t segment_span_ns;
    uint64_t core_probe_ns; /* from one run to the next, 0: off */
    bool memory_probe;
    bool peers;
    bool digest;       /* to stderr at the end of the job */
    int command_lines; /* enum jst_command */
    int files;         /* enum jst_files */
    int unprofiled;    /* enum jst_files: the agent names processes that are not profiled */
    char papi[160];    /* names of events, comma separated */
    char launcher[32], batch[64], world[32];
    bool spool_from_user;
    bool is_first;       /* processes that a person, a batch system or a login started */
    bool job_is_session; /* no batch system and no name: the login session is the job */
} jst_config;

extern JST_HIDDEN jst_config jst_cfg;
bool jst_configure(void); /* false: switched off */
/** Finds where standard error leads: before any message. */
void jst_say_begin(void);
void jst_say(const char *what, const char *value, const char *fix);
/** Splits the next line of a configuration off: `key = value`, '#' begins a comment. *value is NULL on
 *  a line without '='; *text is after the line then. Returns false at the end of the text. */
bool jst_next_setting(char **text, char **key, char **value);
/** The spool that the environment or the operator's file names; NULL: neither does. For programs
 *  that remove files and must not guess: *unsure is the value or file that cannot be used, or
 *  NULL. */
const char *jst_named_spool(const char **unsure);
bool jst_path_excluded(const char *path);
bool jst_program_excluded(const char *name);

/** Does descriptor 2 lead to where it led when the process started? */
bool jst_stderr_is_the_same(void);

#endif
