/* jostle-timer.c: measures only how long a program was between MPI_Init and MPI_Finalize.
 *
 * `jostle overhead` preloads this into the runs of both arms, so that the bare program is timed by
 * the same means as the profiled one. It knows no MPI: it calls the next function of the same name
 * and appends one line per process to the file that JOSTLE_TIMER_FILE names:
 *
 *     pid  MPI_Init called  returned  MPI_Finalize called  returned      (ns of CLOCK_REALTIME)
 *
 * A process that never reaches MPI_Finalize leaves no line.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* RATIONALE: every form takes at most four arguments, all integers or addresses, which are passed
 * in registers in the same way on all machines that jostle supports; four words are enough to pass
 * on the arguments of each. */
typedef long word;
typedef int pass_fn(word, word, word, word);

enum { OBJECTS_MAX = 1024, LINE_MAX_BYTES = 160 };

static struct {
    uint64_t init_called, init_returned, finalize_called;
    unsigned depth; /* Fortran's MPI_Init may call C's */
} timer;

static uint64_t now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

struct objects {
    char *names[OBJECTS_MAX];
    unsigned count;
};

static int collect(struct dl_phdr_info *info, size_t size, void *data)
{
    struct objects *objects = data;
    const char *base = strrchr(info->dlpi_name, '/');

    (void)size;
    /* Without a slash: the program itself (it would find us again) and the kernel's page. */
    if (base && strncmp(base, "/libjostle", 10) != 0 && objects->count < OBJECTS_MAX)
        objects->names[objects->count++] = strdup(info->dlpi_name);
    return 0;
}

/* Searches where RTLD_NEXT does not: a library that was loaded by dlopen(RTLD_LOCAL), as by
 * mpi4py. */
static void *find_local(const char *name)
{
    struct objects objects = {.count = 0};
    void *found = NULL;

    dl_iterate_phdr(collect, &objects);
    for (unsigned i = 0; i < objects.count; i++) {
        void *handle =
            objects.names[i] && !found ? dlopen(objects.names[i], RTLD_LAZY | RTLD_NOLOAD) : NULL;

        if (handle) {
            found = dlsym(handle, name);
            dlclose(handle);
        }
        free(objects.names[i]);
    }
    return found;
}

static pass_fn *find_next(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);

    return (pass_fn *)(next ? next : find_local(name));
}

static void write_line(uint64_t finalize_returned)
{
    const char *path = getenv("JOSTLE_TIMER_FILE");
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = path ? open(path, flags, 0600) : -1;
    char line[LINE_MAX_BYTES];
    struct stat status;
    int length;

    if (fd < 0)
        return;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) { /* a pipe would be waited for */
        close(fd);
        return;
    }
    length =
        snprintf(line, sizeof line, "%d %llu %llu %llu %llu\n", (int)getpid(),
                 (unsigned long long)timer.init_called, (unsigned long long)timer.init_returned,
                 (unsigned long long)timer.finalize_called, (unsigned long long)finalize_returned);
    /* One write of a short line: lines of several ranks do not mix. */
    if (write(fd, line, (size_t)length) != length)
        (void)!ftruncate(fd, 0); /* half a line would be a wrong time: better none */
    close(fd);
}

static int pass_init(pass_fn *next, word a, word b, word c, word d)
{
    int result;

    if (!next)
        return 1;
    if (timer.depth++ == 0 && timer.init_called == 0)
        timer.init_called = now();
    result = next(a, b, c, d);
    if (--timer.depth == 0 && timer.init_returned == 0)
        timer.init_returned = now();
    return result;
}

static int pass_finalize(pass_fn *next, word a, word b, word c)
{
    int result;

    if (!next)
        return 1;
    if (timer.depth++ == 0)
        timer.finalize_called = now();
    result = next(a, b, c, 0);
    if (--timer.depth == 0 && timer.init_returned != 0)
        write_line(now());
    return result;
}

/* ---- C ---- */

#define EXPORT __attribute__((visibility("default")))

EXPORT int MPI_Init(word argc, word argv)
{
    return pass_init(find_next(__func__), argc, argv, 0, 0);
}

EXPORT int PMPI_Init(word argc, word argv)
{
    return pass_init(find_next(__func__), argc, argv, 0, 0);
}

EXPORT int MPI_Init_thread(word argc, word argv, word required, word provided)
{
    return pass_init(find_next(__func__), argc, argv, required, provided);
}

EXPORT int PMPI_Init_thread(word argc, word argv, word required, word provided)
{
    return pass_init(find_next(__func__), argc, argv, required, provided);
}

EXPORT int MPI_Finalize(void)
{
    return pass_finalize(find_next(__func__), 0, 0, 0);
}

EXPORT int PMPI_Finalize(void)
{
    return pass_finalize(find_next(__func__), 0, 0, 0);
}

/* ---- Fortran: the names that compilers make of mpif.h, `use mpi` and `use mpi_f08` ---- */

static void fortran_init(pass_fn *next, word a, word b, word c)
{
    (void)pass_init(next, a, b, c, 0);
}

static void fortran_finalize(pass_fn *next, word a, word b, word c)
{
    (void)pass_finalize(next, a, b, c);
}

#define FORTRAN(name, pass)                                                                        \
    EXPORT void name(word a, word b, word c);                                                      \
    void name(word a, word b, word c)                                                              \
    {                                                                                              \
        pass(find_next(#name), a, b, c);                                                           \
    }
#define FORTRAN_FORMS(lower, upper, pass)                                                          \
    FORTRAN(lower, pass)                                                                           \
    FORTRAN(lower##_, pass)                                                                        \
    FORTRAN(lower##__, pass)                                                                       \
    FORTRAN(lower##_f08_, pass)                                                                    \
    FORTRAN(upper, pass)                                                                           \
    FORTRAN(p##lower, pass)                                                                        \
    FORTRAN(p##lower##_, pass)                                                                     \
    FORTRAN(p##lower##__, pass)                                                                    \
    FORTRAN(p##lower##_f08_, pass)                                                                 \
    FORTRAN(P##upper, pass)

FORTRAN_FORMS(mpi_init, MPI_INIT, fortran_init)
FORTRAN_FORMS(mpi_init_thread, MPI_INIT_THREAD, fortran_init)
FORTRAN_FORMS(mpi_finalize, MPI_FINALIZE, fortran_finalize)
