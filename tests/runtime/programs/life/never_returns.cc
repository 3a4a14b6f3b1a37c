/* never_returns.cc WAY: waits in a file call for 0.2 s and leaves it without a return, then computes for 0.8 s
 * without any call. Prints for how long it waited, in nanoseconds, by the clock of the thread that waited. */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static ucontext_t context, handlers;
static int ends[2];
static const char *way;
static long long began, waited;

static long long now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void leave(int)
{
    waited = now() - began;
    if (is("siglongjmp") || is("again"))
        siglongjmp(back, 1);
    if (is("longjmp") || is("stream"))
        longjmp(back, 1);
    if (is("setcontext"))
        setcontext(&context);
    if (is("swapcontext"))
        swapcontext(&handlers, &context);
    if (is("exception"))
        throw 7;
    if (is("pthread_exit"))
        pthread_exit(nullptr);
    if (is("thread_end"))
        syscall(SYS_exit, 0);
}

static void wait_for_nothing()
{
    char c;
    began = now();
    if (is("stream")) {
        FILE *in = fdopen(ends[0], "r");
        if (fread(&c, 1, 1, in) == 1)
            abort();
    } else if (read(ends[0], &c, 1) == 1) {
        abort();
    }
}

static void alarm_in(long us)
{
    itimerval t = {{0, 0}, {0, us}};
    setitimer(ITIMER_REAL, &t, nullptr);
}

static void is_cancelled(void *)
{
    waited = now() - began;
}

static void *thread(void *)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    if (is("cancel")) {
        pthread_cleanup_push(is_cancelled, nullptr);
        wait_for_nothing();
        pthread_cleanup_pop(0);
    } else {
        wait_for_nothing();
    }
    return nullptr;
}

static void in_thread(bool cancel)
{
    sigset_t one;
    pthread_t t;
    sigemptyset(&one);
    sigaddset(&one, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    pthread_create(&t, nullptr, thread, nullptr);
    if (cancel) {
        usleep(200000);
        pthread_cancel(t);
    } else {
        alarm_in(200000);
    }
    pthread_join(t, nullptr);
}

static void in_main()
{
    volatile bool left = false;
    alarm_in(200000);
    if (is("setcontext") || is("swapcontext")) {
        getcontext(&context);
        if (!left) {
            left = true;
            wait_for_nothing();
        }
    } else if (is("exception")) {
        try {
            wait_for_nothing();
        } catch (int) {
        }
    } else if (sigsetjmp(back, 1) == 0) {
        wait_for_nothing();
    }
}

int main(int, char **v)
{
    way = v[1];
    struct sigaction a = {};
    a.sa_handler = leave;
    a.sa_flags = SA_NODEFER;
    if (pipe(ends) != 0 || sigaction(SIGALRM, &a, nullptr) != 0)
        return 1;
    if (is("cancel") || is("pthread_exit") || is("thread_end"))
        in_thread(is("cancel"));
    else
        in_main();
    if (is("again")) { /* a file call that returns */
        char c = 1;
        if (write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
            return 2;
    }
    for (long long begin = now(); now() - begin < 800000000LL;) {
    }
    syscall(SYS_write, 1, &waited, sizeof waited);
    return 0;
}
