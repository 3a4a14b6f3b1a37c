/*
 * Reads a file in a known pattern, for lab/bench/proofs/reads.py.
 *
 *     reader WAY FILE API SEED PROCESSES CHUNK PIECES SECONDS
 *
 * Each of so many processes reads chunks, each by so many calls, until the seconds are over. API: read (with
 * lseek), pread, preadv, or fread (with fseek). The seed sets distances, offsets and counts. WAY:
 *
 *     whole       its own part of the file from begin to end (a shared file), then it is done
 *     files       the file from begin to end, opened anew each time
 *     nth         every n-th chunk, from the begin again at the end
 *     ranks       chunks in turn with the other processes
 *     matrix      the same columns of each row, plane after plane
 *     backward    chunks from the end to the begin
 *     uniform     chunks anywhere
 *     permuted    each chunk once, in random order
 *     records     offsets that are no multiple of the chunk
 *     passes      a part from begin to end, repeatedly
 *     blocks      up to four chunks, repeatedly
 *     skipping    ahead by distances that do not come back
 *     halves      half of the time in order, half of it anywhere
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *path, *api;
static int fd = -1, rank, ranks;
static FILE *stream;
static uint64_t state, size, chunk, pieces, chunks; /* of the file */
static char *buffer;
static double until;

static void die(const char *what)
{
    fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? state % n : 0;
}

static void begin(void)
{
    fd = open(path, O_RDONLY);
    if (fd < 0)
        die(path);
    if (!strcmp(api, "fread") && !(stream = fdopen(fd, "r")))
        die("fdopen");
}

static void finish(void)
{
    if (stream ? fclose(stream) : close(fd))
        die("close");
    stream = NULL;
}

static void get(uint64_t n, uint64_t at)
{
    ssize_t r;
    if (stream)
        r = (ssize_t)fread(buffer, 1, n, stream);
    else if (!strcmp(api, "pread"))
        r = pread(fd, buffer, n, (off_t)at);
    else if (!strcmp(api, "preadv"))
        r = preadv(fd, &(struct iovec){buffer, n}, 1, (off_t)at);
    else
        r = read(fd, buffer, n);
    if (r < 0)
        die("read");
}

/* Reads a chunk at an offset, where the file offset is elsewhere. */
static void chunk_at(uint64_t at)
{
    if (stream ? fseeko(stream, (off_t)at, SEEK_SET) != 0
               : !strcmp(api, "read") && lseek(fd, (off_t)at, SEEK_SET) < 0)
        die("seek");
    for (uint64_t i = 0; i < pieces; i++)
        get(chunk / pieces, at + i * (chunk / pieces));
}

/* The same, where it is in order. */
static void chunk_next(uint64_t at)
{
    for (uint64_t i = 0; i < pieces; i++)
        get(chunk / pieces, at + i * (chunk / pieces));
}

static int over(void)
{
    return now() >= until;
}

static void whole(void)
{
    uint64_t part = chunks / (uint64_t)ranks, first = (uint64_t)rank * part;
    chunk_at(first * chunk);
    for (uint64_t i = 1; i < part; i++)
        chunk_next((first + i) * chunk);
}

static void files(void)
{
    while (!over()) {
        for (uint64_t i = 0; i < chunks && !over(); i++)
            chunk_next(i * chunk);
        finish();
        begin();
    }
}

static void nth(void)
{
    uint64_t n = 2 + below(14), first = below(n);
    while (!over())
        for (uint64_t i = first; i < chunks && !over(); i += n)
            chunk_at(i * chunk);
}

static void in_ranks(void)
{
    uint64_t n = (uint64_t)(ranks > 1 ? ranks : 4);
    while (!over())
        for (uint64_t i = (uint64_t)rank; i < chunks && !over(); i += n)
            chunk_at(i * chunk);
}

static void matrix(void)
{
    uint64_t row = 3 + below(6), rows = 4 + below(12), between = 1 + below(5);
    uint64_t plane = row * (rows + between), first = below(row);
    while (!over())
        for (uint64_t at = first; at + row * rows < chunks && !over(); at += plane)
            for (uint64_t i = 0; i < rows && !over(); i++)
                chunk_at((at + i * row) * chunk);
}

static void backward(void)
{
    while (!over())
        for (uint64_t i = chunks; i-- > 0 && !over();)
            chunk_at(i * chunk);
}

static void uniform(void)
{
    while (!over())
        chunk_at(below(chunks) * chunk);
}

static void permuted(void)
{
    uint32_t *order = malloc(chunks * sizeof *order);
    if (!order)
        die("malloc");
    for (uint64_t i = 0; i < chunks; i++)
        order[i] = (uint32_t)i;
    while (!over()) {
        for (uint64_t i = chunks - 1; i > 0; i--) {
            uint64_t j = below(i + 1);
            uint32_t other = order[i];
            order[i] = order[j];
            order[j] = other;
        }
        for (uint64_t i = 0; i < chunks && !over(); i++)
            chunk_at(order[i] * chunk);
    }
    free(order);
}

static void records(void)
{
    while (!over())
        chunk_at(below(size - chunk));
}

static void passes(void)
{
    uint64_t part = chunks / (1 + below(8)), first = below(chunks - part + 1);
    part = part ? part : 1;
    while (!over()) {
        chunk_at(first * chunk);
        for (uint64_t i = 1; i < part && !over(); i++)
            chunk_next((first + i) * chunk);
    }
}

static void blocks(void)
{
    uint64_t places[4], n = 1 + below(4);
    for (uint64_t i = 0; i < n; i++)
        places[i] = below(chunks);
    while (!over())
        for (uint64_t i = 0; i < n; i++)
            chunk_at(places[i] * chunk);
}

static void skipping(void)
{
    while (!over()) {
        for (uint64_t at = 0; at + chunk < size && !over(); at += chunk + 1 + below(8 * chunk))
            chunk_at(at);
        finish();
        begin();
    }
}

static void halves(void)
{
    double end = until, half = now() + (until - now()) / 2;
    until = half;
    files();
    until = end;
    uniform();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {
        {"whole", whole},     {"files", files},       {"nth", nth},         {"ranks", in_ranks},
        {"matrix", matrix},   {"backward", backward}, {"uniform", uniform}, {"permuted", permuted},
        {"records", records}, {"passes", passes},     {"blocks", blocks},   {"skipping", skipping},
        {"halves", halves},
    };
    if (argc != 9) {
        fprintf(stderr, "usage: reader WAY FILE API SEED PROCESSES CHUNK PIECES SECONDS\n");
        return 2;
    }
    path = argv[2];
    api = argv[3];
    ranks = atoi(argv[5]);
    chunk = strtoull(argv[6], NULL, 10);
    pieces = strtoull(argv[7], NULL, 10);
    struct stat st;
    if (stat(path, &st) < 0)
        die(path);
    size = (uint64_t)st.st_size;
    chunks = size / chunk;
    buffer = malloc(chunk);
    if (!buffer)
        die("malloc");
    for (rank = ranks - 1; rank > 0; rank--) {
        pid_t child = fork();
        if (child < 0)
            die("fork");
        if (child == 0)
            break;
    }
    state =
        (strtoull(argv[4], NULL, 10) + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)rank * 7919;
    for (int i = 0; i < 20; i++)
        below(1);
    until = now() + atof(argv[8]);
    begin();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name))
            ways[i].run();
    finish();
    if (rank > 0)
        return 0;
    for (int status; wait(&status) > 0;)
        if (status)
            return 1;
    return 0;
}
