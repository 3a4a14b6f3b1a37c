/* config.c: reads options: environment before the operator's file before defaults.
 *
 * The operator's file may lock a key: then the environment is not read for it. A wrong value is
 * named once per job on stderr and the default is used.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "common.h"
#include "config.h"
#include "jst_settings.h"
#include "process/identity.h"
#include "sys.h"
#include "text.h"

#ifndef JST_SYSCONFDIR
#define JST_SYSCONFDIR "/etc"
#endif
#define NS 1000000000ull
#define SPAN_DEFAULT NS
#define PAPI_EVENTS 4
#define PAPI_NAME 31
#define CORE_PROBE_MIN (NS / 200)
#define CORE_PROBE_MAX NS

extern char *program_invocation_short_name;

jst_config jst_cfg;

#define SYMBOL(symbol, key, variable) symbol,
#define FILE_KEY(symbol, key, variable) key "\0"
#define ENV_KEY(symbol, key, variable) variable "\0"

enum key { JST_SETTINGS(SYMBOL) KEYS };

/* In one text each, as jst_env_all takes them. The last variable is no option: the path of the
 * operator's file, if it is not the usual one. */
static const char file_keys[] = JST_SETTINGS(FILE_KEY);
static const char env_keys[] = JST_SETTINGS(ENV_KEY) "JOSTLE_CONFIG\0";
static const char *values[KEYS], *wrong[KEYS];
static bool locked[KEYS], from_user[KEYS];
static const char *unread; /* the operator's file, where it is there and cannot be read */

/* "4", "4s", "0.5s", "500ms". 0 when it is no length or out of bounds. */
static uint64_t parse_length(const char *s, uint64_t least, uint64_t most)
{
    uint64_t ns = 0, unit = NS;
    const char *p = s;
    while (*p >= '0' && *p <= '9' && ns < 1000000)
        ns = ns * 10 + (uint64_t)(*p++ - '0');
    bool digits = p > s;
    uint64_t part = 0, scale = 1;
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9' && scale < NS; p++, scale *= 10)
            part = part * 10 + (uint64_t)(*p - '0');
        digits = digits || scale > 1;
    }
    if (p[0] == 'm' && p[1] == 's') {
        unit = NS / 1000;
        p++;
    }
    if (*p == 's')
        p++;
    if (!digits || *p)
        return 0;
    ns = ns * unit + part * unit / scale;
    return ns >= least && ns <= most ? ns : 0;
}

static void trim(char **begin, char *end)
{
    while (**begin == ' ' || **begin == '\t')
        ++*begin;
    while (end > *begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        *--end = 0;
}

static bool list_has(const char *list, const char *word)
{
    size_t n = jst_strlen(word);
    for (const char *p = list; *p;) {
        while (*p == ' ' || *p == '\t' || *p == ',')
            p++;
        const char *from = p;
        while (*p && *p != ',' && *p != ' ' && *p != '\t')
            p++;
        size_t i = 0;
        while (i < n && from + i < p && from[i] == word[i])
            i++;
        if (n && i == n && from + n == p)
            return true;
    }
    return false;
}

bool jst_next_setting(char **text, char **key, char **value)
{
    char *end = *text, *equals;
    if (!*end)
        return false;
    *key = end;
    *value = NULL;
    while (*end && *end != '\n')
        end++;
    *text = *end ? end + 1 : end;
    *end = 0;
    for (char *c = *key; c < end; c++)
        if (*c == '#')
            *c = 0, end = c;
    for (equals = *key; *equals && *equals != '=';)
        equals++;
    if (*equals) {
        *equals = 0;
        *value = equals + 1;
        trim(value, end);
    }
    trim(key, equals);
    return true;
}

static bool says_off(const char *v)
{
    return jst_str_equal(v, "off") || jst_str_equal(v, "0") || jst_str_equal(v, "no") ||
           jst_str_equal(v, "false");
}

/* Options that only the agent reads, and only the operator sets. */
static void take_unprofiled(const char *value)
{
    bool nameless = jst_str_equal(value, "nameless");
    if (nameless || says_off(value))
        jst_cfg.unprofiled = nameless ? JST_FILES_NAMELESS : JST_FILES_OFF;
    else if (!jst_str_equal(value, "names"))
        jst_say("unprofiled has a wrong value:", value,
                "; it is ignored (write names, nameless or off)");
}

/* The text is kept: values point into it. */
static void parse_file(char *text)
{
    const char *lock = "";
    for (char *key, *value; jst_next_setting(&text, &key, &value);) {
        if (value) {
            bool known = jst_str_equal(key, "lock");
            if (known)
                lock = value;
            if (!known && (known = jst_str_equal(key, "unprofiled")))
                take_unprofiled(value);
            const char *name = file_keys;
            for (int k = 0; k < KEYS; k++, name = jst_behind(name))
                if (jst_str_equal(key, name)) {
                    values[k] = value;
                    known = true;
                }
            if (!known)
                jst_say("unknown key in the configuration file:", key, "; it is ignored");
        }
    }
    const char *name = file_keys;
    for (int k = 0; k < KEYS; k++, name = jst_behind(name))
        locked[k] = list_has(lock, name);
}

static bool says_on(const char *v)
{
    return jst_str_equal(v, "on") || jst_str_equal(v, "1") || jst_str_equal(v, "yes") ||
           jst_str_equal(v, "true");
}

/* At most PAPI_EVENTS names, each short enough for its place in the profile's header. */
static bool valid_papi(const char *v)
{
    size_t length = 0, events = 1;
    for (const char *p = v; *p; p++) {
        length = *p == ',' ? 0 : length + 1;
        events += *p == ',';
        if (length > PAPI_NAME || (unsigned char)*p <= ' ')
            return false;
    }
    return events <= PAPI_EVENTS && jst_strlen(v) < sizeof jst_cfg.papi;
}

static bool valid(enum key k, const char *v)
{
    switch (k) {
    case ENABLED:
    case MEMORY_PROBE:
    case PEERS:
        return says_on(v) || says_off(v);
    case SLICE:
    case SEGMENT_SPAN:
        return parse_length(v, JST_SHORTEST_SLICE_NS, JST_LONGEST_SLICE_NS) != 0;
    case CORE_PROBE:
        return says_off(v) || parse_length(v, CORE_PROBE_MIN, CORE_PROBE_MAX) != 0;
    case SEGMENTS:
        return says_on(v) || says_off(v) || jst_str_equal(v, "raw");
    case PERF:
        return says_on(v) || says_off(v) || jst_str_equal(v, "auto");
    case DIGEST:
        return says_off(v) || jst_str_equal(v, "stderr");
    case COMMAND_LINES:
        return jst_str_equal(v, "all") || jst_str_equal(v, "program") || jst_str_equal(v, "none");
    case FILES:
        return jst_str_equal(v, "names") || jst_str_equal(v, "nameless") || says_off(v);
    case PAPI:
        return valid_papi(v);
    case SPOOL:
        return v[0] == '/' && jst_strlen(v) < sizeof jst_cfg.spool;
    default:
        return true;
    }
}

static const char *unreadable(long error)
{
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
        return "; there is no such file; it is ignored";
    case EACCES:
        return "; permission is denied; it is ignored";
    case ESPIPE:
        return "; it is no regular file; it is ignored";
    case EFBIG:
        return "; it is larger than 64 KiB; it is ignored";
    default:
        return "; it is ignored";
    }
}

/* The operator's file, then the environment where the key is not locked. A wrong value does not
 * change the option; it is kept in wrong[] until it is known where to report it. */
static void read_values(void)
{
    JST_LARGE static char text[JST_SETTINGS_FILE_BYTES + 1]; /* values point into it */
    const char *environment[KEYS + 1], *config;
    jst_env_all(env_keys, environment, KEYS + 1);
    config = environment[KEYS];
    long n = jst_read_regular(JST_SYSCONFDIR "/jostle/jostle.conf", text, sizeof text);
    bool ours = n != -ENOENT;
    if (!ours && config)
        n = jst_read_regular(config, text, sizeof text);
    if (n > 0)
        parse_file(text);
    for (int k = 0; k < KEYS; k++) {
        const char *env = environment[k];
        if (values[k] && !valid(k, values[k])) {
            wrong[k] = values[k];
            values[k] = NULL;
        }
        if (!env || !env[0] || locked[k])
            continue;
        if (valid(k, env)) {
            values[k] = env;
            from_user[k] = true;
        } else {
            wrong[k] = env;
        }
    }
    unread = n >= 0 ? NULL : ours ? JST_SYSCONFDIR "/jostle/jostle.conf" : config;
    if (n < 0 && ours)
        jst_say("the operator's file cannot be read:", JST_SYSCONFDIR "/jostle/jostle.conf",
                unreadable(n));
    else if (n < 0 && config)
        jst_say("JOSTLE_CONFIG names a file that cannot be read:", config, unreadable(n));
}

const char *jst_named_spool(const char **unsure)
{
    read_values();
    *unsure = unread ? unread : values[SPOOL] ? NULL : wrong[SPOOL];
    return values[SPOOL];
}

static void say_wrong(void)
{
    static const char fixes[] = /* of all keys that can have a wrong value */
        "; it is ignored (write on or off)\0"
        "; it is ignored (write a length from 100ms to 60s, such as 500ms or 4s)\0"
        "; it is ignored (write an absolute path of at most 255 characters)\0"
        "; it is ignored (write on, off or raw)\0"
        "; it is ignored (write a length from 100ms to 60s, such as 1s)\0"
        "; it is ignored (write off, or a length from 5ms to 1s, such as 20ms)\0"
        "; it is ignored (write 0 or 1)\0"
        "; it is ignored (write at most four names of PAPI events, with commas between them)\0"
        "; it is ignored (write auto, on or off)\0"
        "; it is ignored (write stderr or off)\0"
        "; it is ignored (write program, all or none)\0"
        "; it is ignored (write names, nameless or off)\0";
    const char *fix = fixes, *key = env_keys;
    for (int k = 0; k <= FILES; k++, fix = jst_behind(fix), key = jst_behind(key))
        if (wrong[k]) {
            char what[64];
            jst_put_text(jst_put_text(what, what + sizeof what, key), what + sizeof what,
                         " has a wrong value:");
            jst_say(what, wrong[k], fix);
        }
}

bool jst_program_excluded(const char *name)
{
    char text[128];
    const char *list = values[EXCLUDE_PROGRAMS];
    while (list && *list) {
        char *word = text, *end = text;
        while (*list && *list != ',' && end + 1 < text + sizeof text)
            *end++ = *list++;
        *end = 0;
        trim(&word, end);
        while (*list && *list != ',')
            list++;
        if (*list)
            list++;
        if (*word && fnmatch(word, name, 0) == 0)
            return true;
    }
    return false;
}

static void take_mpi_options(void)
{
    const char *v = values[SEGMENTS];
    jst_cfg.segments = JST_SEGMENTS_ON;
    if (v && says_off(v))
        jst_cfg.segments = JST_SEGMENTS_OFF;
    else if (v && jst_str_equal(v, "raw"))
        jst_cfg.segments = JST_SEGMENTS_RAW;
    jst_cfg.segment_span_ns =
        values[SEGMENT_SPAN]
            ? parse_length(values[SEGMENT_SPAN], JST_SHORTEST_SLICE_NS, JST_LONGEST_SLICE_NS)
            : SPAN_DEFAULT;
    jst_cfg.peers = !values[PEERS] || says_on(values[PEERS]);
    jst_cfg.digest = values[DIGEST] && !says_off(values[DIGEST]);
    jst_cfg.command_lines = !values[COMMAND_LINES] || values[COMMAND_LINES][0] == 'p'
                                ? JST_COMMAND_PROGRAM
                            : values[COMMAND_LINES][0] == 'a' ? JST_COMMAND_ALL
                                                              : JST_COMMAND_NONE;
    /* Where command lines are not recorded, the script must not be among the files. */
    bool names = values[FILES] ? jst_str_equal(values[FILES], "names")
                               : jst_cfg.command_lines != JST_COMMAND_NONE;
    jst_cfg.files = names                                      ? JST_FILES_NAMES
                    : values[FILES] && says_off(values[FILES]) ? JST_FILES_OFF
                                                               : JST_FILES_NAMELESS;
    if (values[PERF] && !jst_str_equal(values[PERF], "auto"))
        jst_cfg.perf = says_off(values[PERF]) ? JST_PERF_OFF : JST_PERF_ON;
    if (values[PAPI])
        jst_put_text(jst_cfg.papi, jst_cfg.papi + sizeof jst_cfg.papi, values[PAPI]);
}

bool jst_configure(void)
{
    jst_say_begin();
    jst_identify();
    jst_put_text(jst_cfg.spool, jst_cfg.spool + sizeof jst_cfg.spool, JST_DEFAULT_SPOOL);
    read_values();
    if (values[ENABLED] && says_off(values[ENABLED]))
        return false;
    if (jst_program_excluded(jst_base_name(program_invocation_short_name)))
        return false;
    if (values[SPOOL]) {
        jst_put_text(jst_cfg.spool, jst_cfg.spool + sizeof jst_cfg.spool, values[SPOOL]);
        jst_cfg.spool_from_user = from_user[SPOOL];
    }
    jst_cfg.slice_ns =
        values[SLICE] ? parse_length(values[SLICE], JST_SHORTEST_SLICE_NS, JST_LONGEST_SLICE_NS)
                      : JST_DEFAULT_SLICE_NS;
    if (values[CORE_PROBE]) /* 0: off */
        jst_cfg.core_probe_ns = parse_length(values[CORE_PROBE], CORE_PROBE_MIN, CORE_PROBE_MAX);
    jst_cfg.memory_probe = values[MEMORY_PROBE] && says_on(values[MEMORY_PROBE]);
    take_mpi_options();
    say_wrong();
    if (values[EXCLUDE_PATHS])
        jst_put_text(jst_cfg.exclude_paths, jst_cfg.exclude_paths + sizeof jst_cfg.exclude_paths,
                     values[EXCLUDE_PATHS]);
    return true;
}

/* Whole components only: /scratch excludes /scratch/x, not /scratch2. */
bool jst_path_excluded(const char *path)
{
    for (const char *p = jst_cfg.exclude_paths; *p;) {
        size_t i = 0;
        while (p[i] && p[i] != ':' && p[i] == path[i])
            i++;
        bool whole = !p[i] || p[i] == ':';
        if (i && whole && (!path[i] || path[i] == '/' || p[i - 1] == '/'))
            return true;
        while (*p && *p != ':')
            p++;
        while (*p == ':')
            p++;
    }
    return false;
}
