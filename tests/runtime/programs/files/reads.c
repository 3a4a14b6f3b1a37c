/*
 * Reads whose order is known: argv[2] names the case, argv[1] the folder. What the profile must say of
 * it is in the notes: irregular jumps ahead and back, and their bytes; regular jumps and theirs;
 * returns and theirs.
 */
#include "../truth.h"

#include <aio.h>
#include <sys/sendfile.h>

#define BLOCK 1000
#define BLOCKS 200

static char block[BLOCK * BLOCKS];
static char path[4096];

/* An order of blocks in which no distance, begin or end comes back: of 101 places, the powers of 2. */
#define SCATTERED 100
static int scattered(int i)
{
    int place = 1;
    while (i-- > 0)
        place = place * 2 % 101;
    return place * 7 % 101;
}

static int opened(int flags)
{
    int fd = open(path, flags);
    MUST(fd >= 0);
    return fd;
}

static void get(int fd, size_t n)
{
    MUST(read(fd, block, n) == (ssize_t)n);
}

static void get_at(int fd, size_t n, off_t at)
{
    MUST(pread(fd, block, n, at) == (ssize_t)n);
}

static void expect(long ahead, long back, long jump_bytes, long strides, long stride_bytes,
                   long again, long again_bytes)
{
    char text[200];
    snprintf(text, sizeof text, "%ld %ld %ld %ld %ld %ld %ld", ahead, back, jump_bytes, strides,
             stride_bytes, again, again_bytes);
    truth_note("reads", text);
}

static void sequential(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 100; i++)
        get(fd, BLOCK);
    for (int i = 100; i < BLOCKS; i++)
        get_at(fd, BLOCK, i * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 0, 0);
}

/* Each process of a shared file begins somewhere: that is no jump. */
static void from_the_middle(void)
{
    int fd = opened(O_RDONLY);
    MUST(lseek(fd, 50 * BLOCK, SEEK_SET) == 50 * BLOCK);
    for (int i = 0; i < 100; i++)
        get(fd, BLOCK);
    MUST(lseek(fd, 0, SEEK_CUR) == 150 * BLOCK);
    get(fd, BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 0, 0);
}

static void strided(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 40; i++) {
        MUST(lseek(fd, i * 5 * BLOCK, SEEK_SET) >= 0);
        get(fd, BLOCK / 2);
        get(fd, BLOCK / 2);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

static void strided_at(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 40; i++)
        get_at(fd, BLOCK, i * 5 * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

/* Rows of a part of a matrix, plane after plane: two distances; the first of the second is irregular. */
static void nested(void)
{
    int fd = opened(O_RDONLY);
    for (int plane = 0; plane < 4; plane++)
        for (int row = 0; row < 5; row++)
            get_at(fd, BLOCK, (plane * 40 + row * 3) * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 18, 18 * BLOCK, 0, 0);
}

static void backward(void)
{
    int fd = opened(O_RDONLY);
    for (int i = BLOCKS - 1; i >= 0; i--)
        get_at(fd, BLOCK, i * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, BLOCKS - 1, (BLOCKS - 1) * BLOCK, 0, 0);
}

static void scattered_all(int fd, int size, int *ahead, int *back)
{
    int last = -1;
    for (int i = 0; i < SCATTERED; i++) {
        int at = scattered(i);
        get_at(fd, (size_t)size, at * BLOCK);
        if (last >= 0)
            ++*(at > last ? ahead : back);
        last = at;
    }
}

static void random_blocks(void)
{
    int fd = opened(O_RDONLY), ahead = 0, back = 0;
    scattered_all(fd, BLOCK / 2, &ahead, &back);
    MUST(close(fd) == 0);
    expect(ahead, back, (ahead + back) * (BLOCK / 2), 0, 0, 0, 0);
}

/* A program that skips what it does not want. */
static void skipping(void)
{
    int fd = opened(O_RDONLY), at = 0;
    for (int i = 0; i < 18; i++) {
        get_at(fd, BLOCK, at * BLOCK);
        at += 2 + i;
    }
    MUST(close(fd) == 0);
    expect(17, 0, 17 * BLOCK, 0, 0, 0, 0);
}

static void again(void)
{
    int fd = opened(O_RDONLY);
    for (int pass = 0; pass < 5; pass++) {
        MUST(lseek(fd, 0, SEEK_SET) == 0);
        for (int i = 0; i < BLOCKS; i++)
            get(fd, BLOCK);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 4, 4 * BLOCK * BLOCKS);
}

static void same_block(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 20; i++)
        get_at(fd, BLOCK, 7 * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 19, 19 * BLOCK);
}

/* Three blocks over and over: the first two jumps lead to what is new. */
static void few_blocks(void)
{
    static const int places[] = {3, 90, 20};
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 30; i++)
        get_at(fd, BLOCK, places[i % 3] * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 27, 27 * BLOCK);
}

/* Two streams in turn, and a header that is looked at between: nothing of them is irregular but the
 * first jump of each. */
static void in_turn(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 30; i++) {
        get_at(fd, BLOCK, (10 + i) * BLOCK);
        get_at(fd, BLOCK, (100 + i) * BLOCK);
        get_at(fd, 10, 0);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 29, 290);
}

/* Read, go back, write: reads follow each other. */
static void in_place(void)
{
    int fd = opened(O_RDWR);
    for (int i = 0; i < 50; i++) {
        get(fd, BLOCK);
        MUST(lseek(fd, -BLOCK, SEEK_CUR) == i * BLOCK);
        MUST(write(fd, block, BLOCK) == BLOCK);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 0, 0);
}

static void written_and_read(void)
{
    int fd = opened(O_RDWR | O_TRUNC);
    for (int i = 0; i < 50; i++)
        MUST(write(fd, block, BLOCK) == BLOCK);
    MUST(lseek(fd, 0, SEEK_SET) == 0);
    for (int i = 0; i < 50; i++)
        get(fd, BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 0, 0);
}

static void streams(void)
{
    FILE *fp = fopen(path, "r");
    MUST(fp);
    for (int i = 0; i < 40; i++) {
        MUST(fseek(fp, i * 5 * BLOCK, SEEK_SET) == 0);
        MUST(fread(block, 1, BLOCK, fp) == BLOCK);
    }
    rewind(fp);
    MUST(fread(block, 1, BLOCK * BLOCKS, fp) == BLOCK * BLOCKS);
    MUST(fclose(fp) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

static void copies(void)
{
    int fd = opened(O_RDONLY), null = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 40; i++) {
        off_t at = i * 5 * BLOCK;
        MUST(sendfile(null, fd, &at, BLOCK) == BLOCK);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

/* A library looks at a header here and there, and then reads the data in order. */
static void header_first(void)
{
    int fd = opened(O_RDONLY);
    get_at(fd, 8, 0);
    get_at(fd, 300, 150 * BLOCK);
    get_at(fd, 40, 3 * BLOCK);
    get_at(fd, 100, 180 * BLOCK + 7);
    for (int i = 5; i < 100; i++)
        get_at(fd, BLOCK, i * BLOCK);
    MUST(close(fd) == 0);
    expect(0, 0, 0, 0, 0, 0, 0);
}

/* The same, and then places all over. */
static void header_and_scattered(void)
{
    int fd = opened(O_RDONLY), ahead = 0, back = 0;
    get_at(fd, 8, 0);
    get_at(fd, 300, 150 * BLOCK);
    for (int i = 5; i < 100; i++)
        get_at(fd, BLOCK, i * BLOCK);
    scattered_all(fd, BLOCK / 2, &ahead, &back);
    MUST(close(fd) == 0);
    /* One more back, to the first place of all; without that to the data, which was back, too. */
    expect(ahead, back + 2, 300 + SCATTERED * (BLOCK / 2), 0, 0, 0, 0);
}

/* Few places, none of which is most of it. */
static void few_places(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 6; i++)
        get_at(fd, BLOCK / 2, scattered(i) * BLOCK);
    MUST(close(fd) == 0);
    expect(4, 1, 5 * (BLOCK / 2), 0, 0, 0, 0);
}

/* Each block by a duplicate of its own. */
static void duplicates(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 40; i++) {
        MUST(lseek(fd, i * 5 * BLOCK, SEEK_SET) >= 0);
        int twin = dup(fd);
        MUST(twin >= 0);
        get(twin, BLOCK);
        MUST(close(twin) == 0);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

static void asynchronous(void)
{
    int fd = opened(O_RDONLY);
    for (int i = 0; i < 40; i++) {
        struct aiocb request = {
            .aio_fildes = fd, .aio_buf = block, .aio_nbytes = BLOCK, .aio_offset = i * 5 * BLOCK};
        const struct aiocb *list[] = {&request};
        MUST(aio_read(&request) == 0);
        while (aio_error(&request) == EINPROGRESS)
            aio_suspend(list, 1, NULL);
        MUST(aio_return(&request) == BLOCK);
    }
    MUST(close(fd) == 0);
    expect(0, 0, 0, 39, 39 * BLOCK, 0, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"sequential", sequential},
        {"from-the-middle", from_the_middle},
        {"strided", strided},
        {"strided-at", strided_at},
        {"nested", nested},
        {"backward", backward},
        {"random", random_blocks},
        {"skipping", skipping},
        {"again", again},
        {"same-block", same_block},
        {"few-blocks", few_blocks},
        {"in-turn", in_turn},
        {"in-place", in_place},
        {"written-and-read", written_and_read},
        {"streams", streams},
        {"copies", copies},
        {"header-first", header_first},
        {"header-and-scattered", header_and_scattered},
        {"few-places", few_places},
        {"duplicates", duplicates},
        {"asynchronous", asynchronous},
    };
    MUST(argc == 3);
    truth_begin();
    snprintf(path, sizeof path, "%s/read", argv[1]);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    MUST(fd >= 0 && write(fd, block, sizeof block) == (ssize_t)sizeof block && close(fd) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[2], cases[i].name)) {
            cases[i].run();
            return 0;
        }
    return 2;
}
