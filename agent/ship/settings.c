/* settings.c: reads agent.conf, lines of `key = value`, and the spool, which is the runtime's. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "config.h"
#include "jst_settings.h"
#include "ship.h"
#include "text.h"

static char wrong[700];

static const char *fail(const char *format, const char *a, const char *b)
{
    snprintf(wrong, sizeof wrong, format, a, b);
    return wrong;
}

/* A number, and the factor of its unit; -1 when it is none, or beyond the bounds. */
static double number(const char *text, const char *const *units, const double *factors,
                     double least, double most)
{
    if (!isdigit((unsigned char)*text))
        return -1;
    char *end;
    double n = strtod(text, &end);
    for (unsigned i = 0; units[i]; i++)
        if (strcmp(end, units[i]) == 0)
            return n * factors[i] >= least && n * factors[i] <= most ? n * factors[i] : -1;
    return -1;
}

static const char *set_interval(const char *value, jst_ship_settings *to)
{
    static const char *const units[] = {"", "s", "ms", NULL};
    static const double factors[] = {1, 1, 1e-3};
    double s = number(value, units, factors, 0.1, 3600);
    if (s < 0)
        return fail("%s%s is no interval. Fix: a time from 100ms to 3600s", value, "");
    to->interval_ns = (int64_t)(s * 1e9);
    return NULL;
}

static const char *set_quota(const char *value, jst_ship_settings *to)
{
    static const char *const units[] = {"", "K", "M", "G", "T", NULL};
    static const double factors[] = {1, 1024., 1048576., 1073741824., 1099511627776.};
    double bytes = number(value, units, factors, 1048576., 1e15);
    if (bytes < 0)
        return fail("%s%s is no size. Fix: a number of bytes, such as 4G, of at least 1M", value,
                    "");
    to->quota = (uint64_t)bytes;
    return NULL;
}

static const char *set_switch(const char *value, bool *to)
{
    *to = strcmp(value, "on") == 0;
    return *to || strcmp(value, "off") == 0 ? NULL : fail("%s%s is neither on nor off", value, "");
}

static const char *set_text(const char *key, const char *value, char *to, size_t n)
{
    if (strlen(value) >= n)
        return fail("the value of %s is too long%s", key, "");
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return fail("the value of %s has a control character%s", key, "");
    snprintf(to, n, "%s", value);
    return NULL;
}

static const char *set(const char *key, const char *value, jst_ship_settings *to)
{
    const struct {
        const char *key;
        char *to;
        size_t n;
    } texts[] = {
        {"spool", to->spool, sizeof to->spool},
        {"receiver", to->receiver, sizeof to->receiver},
        {"node", to->node, sizeof to->node},
        {"ca_file", to->ca_file, sizeof to->ca_file},
        {"certificate_file", to->certificate, sizeof to->certificate},
        {"key_file", to->key_file, sizeof to->key_file},
        {"token_file", to->token_file, sizeof to->token_file},
        {"munge_socket", to->munge_socket, sizeof to->munge_socket},
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0)
            return set_text(key, value, texts[i].to, texts[i].n);
    if (strcmp(key, "interval") == 0)
        return set_interval(value, to);
    if (strcmp(key, "spool_quota") == 0)
        return set_quota(value, to);
    if (strcmp(key, "munge") == 0)
        return set_switch(value, &to->munge);
    return fail("there is no key %s%s", key, "");
}

const char *jst_ship_setting(char *line, jst_ship_settings *to)
{
    char *key, *value;
    if (!jst_next_setting(&line, &key, &value) || (!value && !*key))
        return NULL;
    return value ? set(key, value, to) : fail("%s%s is no `key = value`", key, "");
}

static void defaults(jst_ship_settings *to)
{
    memset(to, 0, sizeof *to);
    to->interval_ns = 4 * JST_NS;
    to->quota = 4ULL << 30;
    if (gethostname(to->node, sizeof to->node - 1) < 0)
        to->node[0] = 0;
}

/* The spool is where the runtime writes: sent files are removed, so the spool is never guessed. */
static const char *find_spool(jst_ship_settings *to)
{
    const char *unsure, *named = jst_named_spool(&unsure);
    if (unsure)
        return fail("the spool is not known, since %s cannot be used%s. Fix: correct it, or see "
                    "`jostle doctor`",
                    unsure, "");
    if (named && *to->spool && strcmp(named, to->spool) != 0)
        return fail("programs write into the spool %s, but `spool` here is %s. Fix: leave it out "
                    "here",
                    named, to->spool);
    if (named)
        return set_text("spool", named, to->spool, sizeof to->spool);
    return *to->spool ? NULL
                      : "no spool is set. Fix: `spool = /var/spool/jostle` in jostle.conf, which "
                        "all programs read";
}

static const char *read_error(long error)
{
    return error == -ESPIPE  ? "it is no regular file"
           : error == -EFBIG ? "it has more than 64 KiB"
                             : strerror((int)-error);
}

static const char *read_file(const char *path, bool missing_ok, jst_ship_settings *to)
{
    static char text[JST_SETTINGS_FILE_BYTES + 1];
    long n = jst_read_regular(path, text, sizeof text);
    if (n == -ENOENT && missing_ok)
        return NULL;
    if (n < 0)
        return fail("%s: %s", path, read_error(n));
    if (strlen(text) < (size_t)n)
        return fail("%s is no configuration: it has a NUL%s", path, "");
    unsigned number_of_line = 1;
    for (char *line = text, *next; line; line = next, number_of_line++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        const char *why = jst_ship_setting(line, to);
        if (why) {
            static char whole[sizeof wrong + 300];
            snprintf(whole, sizeof whole, "%.255s: line %u: %s", path, number_of_line, why);
            return whole;
        }
    }
    return NULL;
}

const char *jst_ship_read_settings(const char *path, bool missing_ok, jst_ship_settings *to)
{
    defaults(to);
    const char *why = read_file(path, missing_ok, to);
    return why ? why : find_spool(to);
}

static bool is_node_name(const char *name)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t n = strlen(name);
    bool reserved = strcasecmp(name, "jostle-mirror.json") == 0; /* the mirror's own file */
    return n && n <= 64 && isalnum((unsigned char)name[0]) && strspn(name, fine) == n && !reserved;
}

/* A token is only as safe as its connection: it is never sent unencrypted over a network. */
static bool is_local(const char *url)
{
    if (strncmp(url, "http://", 7) != 0)
        return true;
    url += 7;
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    for (unsigned i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        size_t n = strlen(hosts[i]);
        if (strncmp(url, hosts[i], n) == 0 && (!url[n] || url[n] == ':' || url[n] == '/'))
            return true;
    }
    return false;
}

const char *jst_ship_check_settings(jst_ship_settings *s)
{
    if (!*s->receiver)
        return "no receiver is set. Fix: `receiver = https://HOST:PORT` in agent.conf";
    if (strncmp(s->receiver, "http://", 7) != 0 && strncmp(s->receiver, "https://", 8) != 0 &&
        strncmp(s->receiver, "unix:///", 8) != 0)
        return fail("receiver = %s%s is no URL. Fix: https://HOST:PORT, http://HOST:PORT or "
                    "unix:///PATH",
                    s->receiver, "");
    if (strchr(s->receiver, '@'))
        return "receiver has a user in it. Fix: set token_file, munge or certificate_file instead";
    if (!is_node_name(s->node))
        return fail(
            "this machine cannot be called \"%s\"%s. Fix: set `node` to a letter or digit, then "
            "letters, digits, `-`, `_` and `.`, at most 64; not jostle-mirror.json",
            s->node, "");
    if (s->spool[0] != '/')
        return fail("spool = %s%s is no absolute path", s->spool, "");
    if (*s->token_file && !is_local(s->receiver))
        return "a token is not sent over http://, where all can read it. Fix: an https:// "
               "receiver";
    if (s->munge && *s->token_file)
        return "munge = on and token_file are both set. Fix: remove one of them";
    if (!*s->certificate != !*s->key_file)
        return "certificate_file and key_file belong together: only one of them is set";
    return NULL;
}
