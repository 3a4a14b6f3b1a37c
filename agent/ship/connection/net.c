/* net.c: posts by libcurl: one connection, kept open; the body compressed by zstd. */
#include "connection/net.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "connection/credential.h"

/* Level 3 halves level 1's bytes of live heads for 2 ms more of a slice of 48 processes. */
#define LEVEL 3
#define WAIT_S 60 /* without any progress */
#define POST_S 300

static CURL *curl;
static ZSTD_CCtx *packer;
static uint8_t *packed;
static size_t packed_room;
static char answer_text[JST_ANSWER_MOST];
static size_t answer_size;
static bool answer_cut;
static uint64_t bytes_sent;
static char boot_id[48];

bool jst_net_must_end(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT);
}

static size_t take(char *bytes, size_t size, size_t n, void *unused)
{
    (void)unused;
    n *= size;
    if (n > sizeof answer_text - answer_size) {
        answer_cut = true;
        return 0;
    }
    memcpy(answer_text + answer_size, bytes, n);
    answer_size += n;
    return n;
}

static int progress(void *unused, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)unused, (void)a, (void)b, (void)c, (void)d;
    return jst_net_must_end();
}

static void read_boot_id(void)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f && fgets(boot_id, sizeof boot_id, f))
        boot_id[strcspn(boot_id, "\n")] = 0;
    if (f)
        fclose(f);
}

static void set_place(const jst_ship_settings *s)
{
    char url[600];
    if (strncmp(s->receiver, "unix://", 7) == 0) {
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, s->receiver + 7);
        snprintf(url, sizeof url, "http://localhost/ship/1");
    } else {
        size_t n = strlen(s->receiver);
        while (n && s->receiver[n - 1] == '/')
            n--;
        snprintf(url, sizeof url, "%.*s/ship/1", (int)n, s->receiver);
    }
    curl_easy_setopt(curl, CURLOPT_URL, url);
}

const char *jst_net_open(const jst_ship_settings *s)
{
    const char *why = jst_credential_check(s);
    if (why)
        return why;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl = curl_easy_init();
    packer = ZSTD_createCCtx();
    if (!curl || !packer)
        return "out of memory";
    ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, LEVEL);
    read_boot_id();
    set_place(s);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* not from the environment */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "jostle-ship/" JST_VERSION);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)WAIT_S);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)POST_S);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    if (*s->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, s->ca_file);
    if (*s->certificate) {
        curl_easy_setopt(curl, CURLOPT_SSLCERT, s->certificate);
        curl_easy_setopt(curl, CURLOPT_SSLKEY, s->key_file);
    }
    return NULL;
}

void jst_net_close(void)
{
    curl_easy_cleanup(curl);
    ZSTD_freeCCtx(packer);
    free(packed);
    curl = NULL;
    packer = NULL;
    packed = NULL;
    packed_room = 0;
}

/* Returns the length of the compressed body, 0 without memory. */
static size_t pack(const jst_post *p)
{
    size_t most = ZSTD_compressBound(p->size);
    if (most > packed_room) {
        free(packed);
        packed = malloc(most);
        packed_room = packed ? most : 0;
    }
    size_t n = packed ? ZSTD_compress2(packer, packed, packed_room, p->bytes, p->size) : 0;
    return ZSTD_isError(n) ? 0 : n;
}

static struct curl_slist *headers(const jst_ship_settings *s, int64_t time_ns,
                                  const char *authorization)
{
    char line[160];
    struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/x-jostle-ranges");
    list = curl_slist_append(list, "Content-Encoding: zstd");
    list = curl_slist_append(list, "Expect:");
    list = curl_slist_append(list, "Accept:");
    snprintf(line, sizeof line, "Jostle-Node: %s", s->node);
    list = curl_slist_append(list, line);
    snprintf(line, sizeof line, "Jostle-Boot: %s", boot_id);
    list = curl_slist_append(list, line);
    snprintf(line, sizeof line, "Jostle-Time: %lld", (long long)time_ns);
    list = curl_slist_append(list, line);
    if (*authorization)
        list = curl_slist_append(list, authorization);
    return list;
}

static void explain(jst_reply *r, long status, const jst_answer *a)
{
    const char *why = *a->why ? a->why : "it gave no reason";
    const char *label = status == 401   ? "does not accept our credential"
                        : status == 403 ? "does not accept our node's name with this credential"
                        : status == 409 ? "says that our clocks differ"
                        : status == 421 ? "does not accept this node"
                        : status == 507 ? "has no space"
                        : r->outcome == JST_BUSY ? "is busy"
                                                 : "does not understand a post";
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (status == 409 && a->time_ns)
        snprintf(r->why, sizeof r->why,
                 "the receiver %s: ours differs by %+lld s. Fix: set the clock of this machine "
                 "(chronyc tracking)",
                 label, (long long)t.tv_sec - (long long)(a->time_ns / 1000000000));
    else
        snprintf(r->why, sizeof r->why, "the receiver %s (%ld): %s%s%s", label, status, why,
                 *a->fix ? ". Fix: " : "", a->fix);
}

static void assess(jst_reply *r, jst_answer *a)
{
    long status = 0;
    curl_off_t retry = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry);
    r->retry_ns = retry > 0 && retry < 3600 ? retry * JST_NS : retry > 0 ? 3600 * JST_NS : 0;
    bool ours = jst_answer_parse(answer_text, answer_size, a);
    if (status == 200 && ours && !*a->error) {
        r->outcome = JST_STORED;
        return;
    }
    r->outcome = status == 400 || status == 413                    ? JST_BAD
                 : status == 429 || status == 503 || status == 507 ? JST_BUSY
                 : status == 401 || status == 403 || status == 409 || status == 415 || status == 421
                     ? JST_REFUSED
                     : JST_AWAY;
    /* Only the receiver itself can assess a post or its sender; a proxy in between cannot. */
    if (!ours && r->outcome != JST_BUSY)
        r->outcome = JST_AWAY;
    if (ours && r->outcome != JST_AWAY)
        explain(r, status, a);
    else
        snprintf(r->why, sizeof r->why,
                 "what answers at the receiver's address is no jostle receive "
                 "(status %ld)",
                 status);
}

/* curl's texts of one failure differ in the time it took: without it, the failure is reported once. */
static void drop_time(char *text)
{
    char *at = strstr(text, " after ");
    if (at == NULL || !isdigit((unsigned char)at[7]))
        return;
    char *rest = at + 7 + strspn(at + 7, "0123456789");
    rest += strspn(rest, " ");
    rest += strspn(rest, "abcdefghijklmnopqrstuvwxyz");
    memmove(at, rest, strlen(rest) + 1);
}

void jst_net_post(const jst_ship_settings *s, const jst_post *p, jst_reply *r, jst_answer *a)
{
    char authorization[JST_CREDENTIAL_MOST];
    memset(r, 0, sizeof *r);
    r->outcome = JST_AWAY;
    size_t n = pack(p);
    if (!n) {
        snprintf(r->why, sizeof r->why, "out of memory");
        return;
    }
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    int64_t time_ns = t.tv_sec * JST_NS + t.tv_nsec;
    const char *why = jst_credential(s, time_ns, packed, n, authorization);
    if (why) {
        r->outcome = JST_REFUSED;
        snprintf(r->why, sizeof r->why, "%s", why);
        return;
    }
    struct curl_slist *list = headers(s, time_ns, authorization);
    answer_size = 0;
    answer_cut = false;
    char detail[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, packed);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
    CURLcode code = curl_easy_perform(curl);
    bytes_sent += n;
    curl_slist_free_all(list);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
    drop_time(detail);
    if (code == CURLE_OK)
        assess(r, a);
    else
        snprintf(r->why, sizeof r->why, "no answer from the receiver at %.300s: %s", s->receiver,
                 answer_cut ? "it is longer than any"
                 : *detail  ? detail
                            : curl_easy_strerror(code));
}

uint64_t jst_net_sent(void)
{
    return bytes_sent;
}
