/* gpfs_text.c: parses mmpmon's answers (gpfs_text.h), lines of `_key_ value`. */
#include "gpfs_text.h"

#include <stdio.h>
#include <string.h>

typedef struct word {
    const char *at;
    size_t n;
} word;

typedef struct reader {
    jst_gpfs_codes *codes;
    void (*each)(void *to, const jst_gpfs_part *part);
    void *to;
    jst_gpfs_part part;
    bool in_part;
} reader;

static bool is(word w, const char *text)
{
    return strlen(text) == w.n && !memcmp(w.at, text, w.n);
}

static bool is_key(word w)
{
    return w.n > 2 && w.at[0] == '_' && w.at[w.n - 1] == '_';
}

static word next_word(const char **at, const char *end)
{
    const char *c = *at;
    while (c < end && (*c == ' ' || *c == '\t' || *c == '\r'))
        c++;
    word w = {c, 0};
    while (c < end && *c != ' ' && *c != '\t' && *c != '\r')
        c++;
    w.n = (size_t)(c - w.at);
    *at = c;
    return w;
}

/* The next key of a line with its value, which is empty where another key follows. */
static bool next_pair(const char **at, const char *end, word *key, word *value)
{
    do
        *key = next_word(at, end);
    while (key->n && !is_key(*key));
    const char *behind = *at;
    *value = next_word(&behind, end);
    if (is_key(*value))
        value->n = 0;
    else
        *at = behind;
    return key->n > 0;
}

/* A decimal number times `unit`; fractions are cut off. */
static bool number(word w, uint64_t unit, uint64_t *to)
{
    uint64_t v = 0, part = unit;
    size_t i = 0;
    for (; i < w.n && w.at[i] >= '0' && w.at[i] <= '9'; i++)
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(w.at[i] - '0'), &v))
            return false;
    if (!i || __builtin_mul_overflow(v, unit, &v))
        return false;
    if (i < w.n && w.at[i] == '.' && unit > 1)
        for (i++; i < w.n && w.at[i] >= '0' && w.at[i] <= '9'; i++) {
            part /= 10;
            v += (uint64_t)(w.at[i] - '0') * part;
        }
    *to = v;
    return i == w.n;
}

static void add(jst_gpfs_part *p, unsigned cell, word value, uint64_t unit)
{
    uint64_t v;
    if (number(value, unit, &v)) {
        p->value[cell] += v;
        p->known |= 1u << cell;
    } else {
        p->unknown |= 1u << cell;
    }
}

static void copy(char to[JST_GPFS_NAME], word w)
{
    size_t n = w.n < JST_GPFS_NAME ? w.n : JST_GPFS_NAME - 1;
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)w.at[i] < 0x20 || w.at[i] == 0x7f ? '?' : w.at[i];
    to[n] = 0;
}

static long code_of(word w)
{
    uint64_t v;
    return number(w, 1, &v) && v < 100000 ? (long)v : 99999;
}

static void begin_part(reader *r, enum jst_component_kind kind)
{
    memset(&r->part, 0, sizeof r->part);
    r->part.kind = kind;
    r->in_part = true;
}

/* Of the metrics of its kind, missing ones are unknown. */
static void end_part(reader *r)
{
    static const uint32_t of_mounts = 1u << JST_STORAGE_READ_BYTES | 1u << JST_STORAGE_READ_OPS |
                                      1u << JST_STORAGE_WRITE_BYTES | 1u << JST_STORAGE_WRITE_OPS |
                                      1u << JST_STORAGE_META_OPS;
    static const uint32_t of_disks = 1u << JST_STORAGE_READ_BYTES | 1u << JST_STORAGE_READ_OPS |
                                     1u << JST_STORAGE_READ_NS | 1u << JST_STORAGE_WRITE_BYTES |
                                     1u << JST_STORAGE_WRITE_OPS | 1u << JST_STORAGE_WRITE_NS;
    jst_gpfs_part *p = &r->part;
    if (r->in_part && p->name[0]) {
        p->unknown |= (p->kind == JST_KIND_GPFS_MOUNT ? of_mounts : of_disks) & ~p->known;
        p->known &= ~p->unknown;
        r->each(r->to, p);
    }
    r->in_part = false;
}

/* "_fs_io_s_ _n_ ADDRESS _nn_ NODE _rc_ 0 _t_ S _tu_ US _cl_ CLUSTER _fs_ NAME _d_ 48 _br_ 2056 ..." */
static void take_mount(reader *r, const char *at, const char *end)
{
    word key, value;
    long code = -1;
    unsigned opens = 0;
    begin_part(r, JST_KIND_GPFS_MOUNT);
    while (next_pair(&at, end, &key, &value)) {
        jst_gpfs_part *p = &r->part;
        if (is(key, "_rc_"))
            code = code_of(value);
        else if (is(key, "_fs_"))
            copy(p->name, value);
        else if (is(key, "_cl_"))
            copy(p->cluster, value);
        else if (is(key, "_br_"))
            add(p, JST_STORAGE_READ_BYTES, value, 1);
        else if (is(key, "_bw_"))
            add(p, JST_STORAGE_WRITE_BYTES, value, 1);
        else if (is(key, "_rdc_"))
            add(p, JST_STORAGE_READ_OPS, value, 1);
        else if (is(key, "_wc_"))
            add(p, JST_STORAGE_WRITE_OPS, value, 1);
        else if (is(key, "_oc_") || is(key, "_cc_") || is(key, "_dir_") || is(key, "_iu_")) {
            add(p, JST_STORAGE_META_OPS, value, 1);
            opens++;
        }
    }
    if (opens < 4) /* opens, closes, directories and inodes are one sum */
        r->part.unknown |= 1u << JST_STORAGE_META_OPS;
    r->codes->mounts = code;
    if (code)
        r->in_part = false;
    end_part(r);
}

/* "_mmpmon::nsd_ds_ _n_ ADDRESS ... _rc_ 0 ... _dev_ DEVICE _d_ NAME" */
static void take_disk(reader *r, const char *at, const char *end)
{
    word key, value;
    long code = -1;
    begin_part(r, JST_KIND_GPFS_DISK);
    while (next_pair(&at, end, &key, &value)) {
        if (is(key, "_rc_"))
            code = code_of(value);
        else if (is(key, "_d_"))
            copy(r->part.name, value);
    }
    r->codes->disks = code;
    if (code)
        r->in_part = false;
}

/* "_r_ _ops_ 138448 _b_ 563132928 _tw_ 2219.600760 ...", of the disk before it. */
static void take_half(reader *r, const char *at, const char *end, unsigned bytes, unsigned ops,
                      unsigned ns)
{
    word key, value;
    while (next_pair(&at, end, &key, &value)) {
        if (is(key, "_ops_"))
            add(&r->part, ops, value, 1);
        else if (is(key, "_b_"))
            add(&r->part, bytes, value, 1);
        else if (is(key, "_tw_"))
            add(&r->part, ns, value, 1000000000);
    }
}

static void take_line(reader *r, const char *at, const char *end)
{
    word first = next_word(&at, end);
    if (r->in_part && is(first, "_r_")) {
        take_half(r, at, end, JST_STORAGE_READ_BYTES, JST_STORAGE_READ_OPS, JST_STORAGE_READ_NS);
        return;
    }
    if (r->in_part && is(first, "_w_")) {
        take_half(r, at, end, JST_STORAGE_WRITE_BYTES, JST_STORAGE_WRITE_OPS, JST_STORAGE_WRITE_NS);
        return;
    }
    end_part(r);
    if (is(first, "_fs_io_s_"))
        take_mount(r, at, end);
    else if (is(first, "_mmpmon::nsd_ds_"))
        take_disk(r, at, end);
}

void jst_gpfs_answer(const char *text, size_t n, jst_gpfs_codes *codes,
                     void (*each)(void *to, const jst_gpfs_part *part), void *to)
{
    reader r = {.codes = codes, .each = each, .to = to};
    *codes = (jst_gpfs_codes){-1, -1};
    for (const char *end; (end = memchr(text, '\n', n));) {
        take_line(&r, text, end);
        n -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    if (!n) /* else the disk's next line is incomplete */
        end_part(&r);
}

bool jst_gpfs_is_whole(const char *text, size_t n)
{
    for (const char *end; (end = memchr(text, '\n', n));) {
        if (end - text > 6 && !memcmp(text, "_io_s_", 6))
            return true;
        n -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    return false;
}
