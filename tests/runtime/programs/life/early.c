/*
 * A call before libc and the library have come up, and the first call of a
 * process in a handler on the smallest usual signal stack, which has no room to waste.
 */
#include "../truth.h"

#include <pthread.h>
#include <signal.h>

static int fd = -1;

static void write_once(void)
{
    MUST(pwrite(fd, "0123456789", 10, 0) == 10);
    DID_WRITE(10);
}

static void before(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv, (void)envp;
    MUST(read(0, NULL, 0) == 0); /* nothing to count, but a first call, before libc has come up */
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **,
                                                                      char **) = before;

static void on_signal(int sig)
{
    (void)sig;
    write_once();
}

/* The stack of the handler, with a page behind it that nobody may touch. */
static void use_small_stack(void)
{
    size_t size = 8192, page = (size_t)sysconf(_SC_PAGESIZE);
    char *area =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = area + page, .ss_size = size};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    MUST(mprotect(area, page, PROT_NONE) == 0);
    MUST(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *on_least_stack(void *argument)
{
    write_once();
    return argument;
}

int main(int argc, char **argv)
{
    pthread_attr_t least;
    pthread_t thread;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    MUST(fd >= 0);
    DID(posix_open_ops, 1);
    write_once();
    use_small_stack();
    usleep(150000); /* so that the handler's call is the one that starts the profile */
    raise(SIGUSR1);
    if (fork() == 0) { /* here the handler's call is the first one of all */
        truth_begin();
        raise(SIGUSR1);
        _exit(0);
    }
    pthread_attr_init(&least);
    MUST(pthread_attr_setstacksize(&least, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
    for (int i = 0; i < 10; i++) {
        MUST(pthread_create(&thread, &least, on_least_stack, NULL) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    usleep(100000);
    return 0;
}
