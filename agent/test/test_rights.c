/* test_rights.c: tests the rights of a process after it dropped them, with and without sockets. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "rights.h"

/* A bit for each thing that a child may do afterwards. */
enum { LOCAL_SOCKET = 1, NETWORK_SOCKET = 2, PAIR = 4, PROGRAM = 8, CONNECT = 16 };

static bool is_refused(long r)
{
    return r < 0 && errno == EPERM;
}

static int left_after(bool programs, bool sockets)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int pair[2], left = 0;
        jst_rights_drop(programs, sockets);
        left |= is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? 0 : LOCAL_SOCKET;
        left |= is_refused(socket(AF_INET, SOCK_STREAM, 0)) ? 0 : NETWORK_SOCKET;
        left |= is_refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) ? 0 : PAIR;
        left |= is_refused(connect(-1, NULL, 0)) ? 0 : CONNECT;
        left |= is_refused(syscall(SYS_execve, "/nothing", NULL, NULL)) ? 0 : PROGRAM;
        _exit(is_refused(syscall(SYS_bind, -1, NULL, 0)) || programs ? left : 255);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void only_what_is_needed(void **state)
{
    (void)state;
    assert_int_equal(left_after(false, false), 0);
    assert_int_equal(left_after(false, true), LOCAL_SOCKET | CONNECT);
    assert_int_equal(left_after(true, false),
                     LOCAL_SOCKET | NETWORK_SOCKET | PAIR | PROGRAM | CONNECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_is_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
