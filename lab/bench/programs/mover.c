/*
 * mover: a process whose slices are full.
 *
 *   mover every DIR SECONDS      moves every metric that an ordinary machine lets it move
 *   mover typical DIR SECONDS    reads its input, computes, writes results and a log line
 *
 * Both pace themselves to a few percent of a core: the size of a record depends on how many
 * metrics moved and by how much, not on how busy the machine was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char block[1 << 20];
static volatile double sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void compute_ms(double ms)
{
    for (double end = now() + ms * 1e-3; now() < end;)
        for (int i = 0; i < 1000; i++)
            sink += i * 1e-3;
}

/* Results that are not read: only the calls matter. */
static void drop(long result)
{
    (void)result;
}

static void move_posix(void)
{
    struct stat st;
    int fd = open("data", O_RDWR | O_CREAT, 0600);
    for (size_t size = 1; size <= sizeof block; size *= 8) {
        drop(pwrite(fd, block, size, 0));
        lseek(fd, 0, SEEK_SET);
        drop(read(fd, block, size));
    }
    fstat(fd, &st);
    fdatasync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    char *map = mmap(NULL, sizeof block, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) { /* from the disk: a major fault */
        sink += map[0];
        munmap(map, sizeof block);
    }
    close(fd);
    rename("data", "data.old");
}

static void move_stdio(void)
{
    char text[4096];
    FILE *f = fopen("text", "w+");
    if (!f)
        exit(1);
    setvbuf(f, NULL, _IOFBF, 8192);
    for (size_t size = 1; size <= sizeof text; size *= 8)
        fwrite(block, 1, size, f);
    for (int i = 0; i < 200; i++)
        fprintf(f, "line %d of a text\n", i);
    fflush(f);
    rewind(f);
    for (size_t size = 1; size <= sizeof text; size *= 8)
        drop((long)fread(text, 1, size, f));
    while (fgets(text, sizeof text, f))
        ;
    fclose(f);
}

/* One failed call of each class that can be provoked on an ordinary machine. */
static void move_errors(void)
{
    drop(open("no such file", O_RDONLY)); /* missing */
    int sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
    fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE);
    drop(write(sealed, block, 1)); /* access: EPERM, for root too */
    close(sealed);
    int fd = open("data.old", O_RDWR | O_CREAT, 0600);
    drop(pwrite(fd, block, 1, (off_t)1 << 40)); /* space: EFBIG */
    drop(lseek(fd, -1, SEEK_SET));              /* invalid */
    close(fd);
    mkfifo("fifo", 0600);
    drop(open("fifo", O_WRONLY | O_NONBLOCK)); /* io: ENXIO, no process reads */
    drop(open("/proc/self/exe", O_WRONLY));    /* again: ETXTBSY */
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    drop(open(self, O_WRONLY));
    struct rlimit old, none = {0, 0};
    getrlimit(RLIMIT_NOFILE, &old);
    none.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_NOFILE, &none);
    drop(open("data.old", O_RDONLY)); /* limit: EMFILE */
    setrlimit(RLIMIT_NOFILE, &old);
}

static void move_streams(void)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        exit(1);
    drop(write(ends[0], block, 4096));
    drop(read(ends[1], block, 4096));
    close(ends[0]);
    close(ends[1]);
}

static void *idle(void *unused)
{
    (void)unused;
    pause_ms(100);
    return NULL;
}

static void move_os(int round)
{
    pthread_t id;
    size_t bytes = (size_t)(1 + round % 7) << 20; /* memory and threads that come and go */
    char *memory = malloc(bytes);
    if (memory)
        memset(memory, 1, bytes);
    if (pthread_create(&id, NULL, idle, NULL))
        exit(1);
    compute_ms(4);
    pause_ms(40);
    pthread_join(id, NULL);
    free(memory);
}

static void every(double seconds)
{
    struct rlimit size = {1u << 30, 1u << 30};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &size);
    int round = 0;
    for (double end = now() + seconds; now() < end; round++) {
        move_posix();
        move_stdio();
        move_errors();
        move_streams();
        move_os(round);
    }
}

static void typical(double seconds)
{
    int input = open("input", O_RDWR | O_CREAT, 0600);
    FILE *log = fopen("log", "w");
    if (input < 0 || !log)
        exit(1);
    drop(write(input, block, sizeof block));
    int step = 0;
    for (double end = now() + seconds; now() < end; step++) {
        lseek(input, 0, SEEK_SET);
        for (int i = 0; i < 16; i++)
            drop(read(input, block, 1 << 16));
        compute_ms(15);
        if (step % 4 == 0) {
            int out = open("result", O_WRONLY | O_CREAT | O_TRUNC, 0600);
            for (int i = 0; i < 8; i++)
                drop(write(out, block, sizeof block));
            close(out);
        }
        fprintf(log, "step %d done\n", step);
        pause_ms(400);
    }
    fclose(log);
    close(input);
}

int main(int argc, char **argv)
{
    if (argc != 4 || chdir(argv[2])) {
        fputs("usage: mover every|typical DIR SECONDS\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], "every") == 0)
        every(atof(argv[3]));
    else
        typical(atof(argv[3]));
    return 0;
}
