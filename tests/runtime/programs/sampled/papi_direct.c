/* The runtime's own sources with PAPI, without MPI: begins, works LOOPS, finishes as MPI_Init and
 * MPI_Finalize would make it. MODE: plain, closes (the program closes PAPI's descriptors, and other
 * counters get their numbers), linked (it has PAPI_library_init itself), forks (a child goes on as if
 * it owned the events).
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "block.h"
#include "modules/papi.h"

static void work(long n)
{
#if defined(__x86_64__)
    __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(n)::"cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n)::"cc");
#endif
}

static long cell(unsigned i)
{
    return (long)jst_sum_cell(i);
}

static void count_descriptors(const char *what)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) {
        char path[64], link[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t got = readlink(path, link, sizeof link - 1);
        link[got > 0 ? got : 0] = 0;
        n += strcmp(link, "anon_inode:[perf_event]") == 0;
    }
    printf("%s %d\n", what, n);
}

int main(int argc, char **argv)
{
    static char bytes[1 << 17];
    FILE *f = fopen("papi_direct.data", "w");
    fwrite(bytes, 1, sizeof bytes, f);
    fclose(f);
    jst_block *b = jst_enter();
    long before = cell(JST_CELL_STDIO_READ_BYTES) + cell(JST_CELL_POSIX_READ_OPS);
    jst_papi_begin();
    count_descriptors("open");
    work(argc > 2 ? atol(argv[2]) : 1);
    jst_papi_sample(b);
    jst_papi_sample(b); /* too early: nothing */
    if (strcmp(argv[1], "closes") == 0) {
        struct perf_event_attr a = {.size = sizeof a,
                                    .type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        for (int n = 0; n < 16; n++)
            syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (strcmp(argv[1], "forks") == 0 && fork() == 0) {
        jst_block *mine = jst_enter();
        jst_papi_sample(mine);
        jst_papi_finish(mine);
        printf("child %ld\n", cell(JST_CELL_PAPI_1_COUNT));
        fflush(stdout);
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    jst_papi_finish(b);
    count_descriptors("left");
    printf("read %ld\n", cell(JST_CELL_STDIO_READ_BYTES) + cell(JST_CELL_POSIX_READ_OPS) - before);
    printf("papi_1 %ld\npapi_2 %ld\n", cell(JST_CELL_PAPI_1_COUNT), cell(JST_CELL_PAPI_2_COUNT));
    return 0;
}

#ifdef LINKED
int PAPI_library_init(int version) __attribute__((visibility("default")));

int PAPI_library_init(int version)
{
    abort();
    return version;
}
#endif
