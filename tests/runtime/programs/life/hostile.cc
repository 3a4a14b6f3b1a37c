/* Odd lives, one per name; each writes the same words to $DATA/out and prints the same on its way. */
#include "../truth.h"

#include <csetjmp>
#include <csignal>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>

static int out = -1;

static void work(int n, size_t size)
{
    static char buffer[4096];
    while (n-- > 0) {
        MUST(write(out, buffer, size) == (ssize_t)size);
        DID_WRITE((long long)size);
    }
}

/* ---- what happens at the end of a thread and of the process ---- */

struct at_thread_end {
    bool used = false;
    ~at_thread_end()
    {
        work(7, 11);
    }
};
static thread_local at_thread_end guard_of_thread;

static void key_end(void *)
{
    work(3, 5);
}

static pthread_key_t key;

static void use_thread()
{
    guard_of_thread.used = true; /* now it is made */
    pthread_setspecific(key, &key);
    work(10, 100);
}

static void at_end()
{
    work(4, 9);
}

static void on_end(int, void *)
{
    work(2, 8);
}

__attribute__((destructor)) static void destructor()
{
    if (out >= 0)
        work(1, 13);
}

static void thread_ends()
{
    pthread_key_create(&key, key_end);
    for (int i = 0; i < 20; i++)
        std::thread(use_thread).join();
}

static void process_ends()
{
    atexit(at_end);
    on_exit(on_end, nullptr);
    work(10, 10);
}

static void *later(void *)
{
    usleep(250000);
    work(50, 100);
    exit(5);
}

static void main_ends_first()
{
    pthread_t t;
    work(5, 10);
    pthread_create(&t, nullptr, later, nullptr);
    pthread_exit(nullptr);
}

/* ---- out of blocked calls ---- */

static sigjmp_buf back;

static void jump(int)
{
    siglongjmp(back, 1);
}

static void jumps()
{
    int pipe_fds[2];
    char c;
    MUST(pipe(pipe_fds) == 0);
    signal(SIGALRM, jump);
    for (int i = 0; i < 20; i++) {
        if (sigsetjmp(back, 1) == 0) {
            ualarm(10000, 0);
            (void)!read(pipe_fds[0], &c, 1);
            MUST(!"reached");
        }
        work(3, 30);
    }
    FILE *stream = fdopen(pipe_fds[0], "r");
    for (int i = 0; i < 5; i++) {
        if (sigsetjmp(back, 1) == 0) {
            ualarm(10000, 0);
            (void)!fgetc(stream);
            MUST(!"reached");
        }
        stream = fdopen(dup(pipe_fds[0]), "r"); /* the other one is locked for ever */
        work(2, 20);
    }
}

static void thrown(int)
{
    throw std::string("out of a call");
}

static void throws()
{
    int pipe_fds[2];
    char c;
    MUST(pipe(pipe_fds) == 0);
    signal(SIGALRM, thrown);
    for (int i = 0; i < 20; i++) {
        sigset_t alarm_only;
        try {
            ualarm(10000, 0);
            (void)!read(pipe_fds[0], &c, 1);
            MUST(!"reached");
        } catch (const std::string &what) {
            MUST(what == "out of a call");
            sigemptyset(&alarm_only);
            sigaddset(&alarm_only, SIGALRM);
            sigprocmask(SIG_UNBLOCK, &alarm_only, nullptr);
        }
        work(3, 30);
    }
}

static void *blocked(void *fd)
{
    char c;
    (void)!read(*(int *)fd, &c, 1);
    return nullptr;
}

static void cancels()
{
    int pipe_fds[2];
    MUST(pipe(pipe_fds) == 0);
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        void *result;
        MUST(pthread_create(&t, nullptr, blocked, &pipe_fds[0]) == 0);
        usleep(2000);
        MUST(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0);
        MUST(result == PTHREAD_CANCELED);
        work(3, 30);
    }
}

/* ---- without standard streams ---- */

static void streams_closed()
{
    close(0), close(1), close(2);
    for (int i = 0; i < 3; i++)
        MUST(open("/dev/null", O_RDWR) == i);
    work(2000, 100);
    close(0), close(1), close(2);
    pid_t child = fork();
    if (child == 0) {
        truth_begin();
        work(1000, 100);
        _exit(0);
    }
    MUST(waitpid(child, nullptr, 0) == child);
}

static void stack_is_small()
{
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    MUST(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
    auto body = [](void *) -> void * {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%d/comm", getpid());
        work(100, 100);
        return nullptr;
    };
    MUST(pthread_create(&t, &attr, body, nullptr) == 0 && pthread_join(t, nullptr) == 0);
}

static void on_small_stack(int)
{
    work(200, 10);
}

static void signal_stack_is_small()
{
    static char memory[8192] __attribute__((aligned(16))); /* what SIGSTKSZ was */
    stack_t own = {};
    own.ss_sp = memory;
    own.ss_size = sizeof memory;
    struct sigaction action = {};
    action.sa_handler = on_small_stack;
    action.sa_flags = SA_ONSTACK;
    MUST(sigaltstack(&own, nullptr) == 0 && sigaction(SIGUSR1, &action, nullptr) == 0);
    for (int i = 0; i < 400; i++) {
        MUST(raise(SIGUSR1) == 0);
        usleep(500);
    }
}

int main(int, char **words)
{
    static const struct {
        const char *name;
        void (*life)();
    } lives[] = {
        {"thread ends", thread_ends},
        {"process ends", process_ends},
        {"main ends first", main_ends_first},
        {"jumps", jumps},
        {"throws", throws},
        {"cancels", cancels},
        {"streams closed", streams_closed},
        {"stack is small", stack_is_small},
        {"signal stack is small", signal_stack_is_small},
    };
    truth_begin();
    std::string path = std::string(getenv("DATA")) + "/out";
    out = (int)syscall(SYS_openat, AT_FDCWD, path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    MUST(dup2(out, 50) == 50);
    close(out);
    out = 50;
    for (auto &one : lives)
        if (strcmp(one.name, words[1]) == 0) {
            one.life();
            return 3;
        }
    return 98;
}
