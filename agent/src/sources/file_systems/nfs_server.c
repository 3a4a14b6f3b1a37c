/* nfs_server.c: samples an NFS server: /proc/net/rpc/nfsd.
 *
 * The lines grow from kernel to kernel: each begins with how many numbers follow. The operations of
 * a version 4 compound are counted one by one; those that only pass handles and sessions on are no
 * requests.
 */
#include <string.h>

#include "numbers.h"
#include "system.h"

#define OPS_MAX 128
#define PATH "/proc/net/rpc/nfsd"

/* Procedures of version 3 and operations of version 4, by their numbers in the protocols. */
enum { READ3 = 6, WRITE3 = 7, COMMIT3 = 21, COMMIT4 = 5, READ4 = 25, WRITE4 = 38 };

/* access, close, create, getattr, link, lock, lockt, locku, lookup, lookupp, open, open_confirm,
 * open_downgrade, readdir, readlink, remove, rename, setattr; getxattr to removexattr. */
static const uint8_t meta4[] = {3,  4,  6,  9,  11, 12, 13, 14, 15, 16, 18,
                                20, 21, 26, 27, 28, 29, 34, 72, 73, 74, 75};

typedef struct requests {
    uint64_t read, write, sync, meta;
} requests;

static char text[16 * 1024];
static uint64_t last_bytes[2];

/* The numbers after the first one, which is their count. */
static unsigned counted(const char *line, uint64_t *to)
{
    uint64_t v[OPS_MAX + 1];
    unsigned n = jst_line_numbers(line, v, OPS_MAX + 1);
    if (n == 0)
        return 0;
    n = v[0] < n - 1 ? (unsigned)v[0] : n - 1;
    memcpy(to, v + 1, n * sizeof *to);
    return n;
}

static void add3(requests *r, const uint64_t *v, unsigned n)
{
    for (unsigned i = 1; i < n; i++) /* 0 is null */
        *(i == READ3     ? &r->read
          : i == WRITE3  ? &r->write
          : i == COMMIT3 ? &r->sync
                         : &r->meta) += v[i];
}

static void add4(requests *r, const uint64_t *v, unsigned n)
{
    r->read += n > READ4 ? v[READ4] : 0;
    r->write += n > WRITE4 ? v[WRITE4] : 0;
    r->sync += n > COMMIT4 ? v[COMMIT4] : 0;
    for (unsigned i = 0; i < sizeof meta4; i++)
        r->meta += n > meta4[i] ? v[meta4[i]] : 0;
}

/* Before Linux 5.13 the bytes have 32 bits: a value that goes back from their upper half has begun
 * again. */
static void count_bytes(jst_component *c, enum jst_component_metric metric, uint64_t now,
                        uint64_t *last)
{
    bool wrapped = now<*last && * last <= UINT32_MAX && * last> INT32_MAX;
    *last = now;
    if (wrapped)
        jst_counter_wraps(c, metric, now, UINT32_MAX);
    else
        jst_counter(c, metric, now);
}

/* Returns the number of threads. */
static uint64_t parse_nfsd(jst_component *c, const char *from)
{
    requests r = {0, 0, 0, 0};
    uint64_t threads = 0;
    for (const char *line = from; line && *line; line = jst_next_line(line)) {
        uint64_t v[OPS_MAX];
        if (!strchr(line, '\n'))
            break; /* torn */
        if (strncmp(line, "th ", 3) == 0)
            jst_line_numbers(line + 3, &threads, 1);
        else if (strncmp(line, "io ", 3) == 0 && jst_line_numbers(line + 3, v, 2) == 2 && c) {
            count_bytes(c, JST_STORAGE_READ_BYTES, v[0], &last_bytes[0]);
            count_bytes(c, JST_STORAGE_WRITE_BYTES, v[1], &last_bytes[1]);
        } else if (strncmp(line, "rpc ", 4) == 0 && jst_line_numbers(line + 4, v, 2) == 2 && c)
            jst_counter(c, JST_STORAGE_ERROR_OPS, v[1]);
        else if (strncmp(line, "proc3 ", 6) == 0)
            add3(&r, v, counted(line + 6, v));
        else if (strncmp(line, "proc4ops ", 9) == 0)
            add4(&r, v, counted(line + 9, v));
    }
    if (!c)
        return threads;
    jst_counter(c, JST_STORAGE_READ_OPS, r.read);
    jst_counter(c, JST_STORAGE_WRITE_OPS, r.write);
    jst_counter(c, JST_STORAGE_SYNC_OPS, r.sync);
    jst_counter(c, JST_STORAGE_META_OPS, r.meta);
    return threads;
}

static const char *open_nfsd(void)
{
    last_bytes[0] = last_bytes[1] = 0;
    if (jst_read_text(PATH, text, sizeof text) < 0)
        return "no NFS server";
    return parse_nfsd(NULL, text) ? NULL : "no thread of an NFS server runs";
}

static const char *sample_nfsd(jst_sample *s)
{
    long n = jst_read_text(PATH, text, sizeof text);
    if (n < 0)
        return PATH " cannot be read";
    parse_nfsd(jst_component_of(s, &(jst_names){.kind = JST_KIND_NFS_SERVER, .name = "nfsd"}),
               text);
    return NULL;
}

const jst_source jst_source_nfs_server = {
    .name = "NFS server", .open = open_nfsd, .sample = sample_nfsd};
