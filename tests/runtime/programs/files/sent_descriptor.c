/* sent_descriptor.c: numbers of files that a bare system call closed come back for other things: sent by another process,
 * and made by calls that hand out descriptors which are no files. */
#include "../truth.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static void send_fd(int to, int fd)
{
    char byte = 1, space[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr m = {0};
    m.msg_iov = &part, m.msg_iovlen = 1, m.msg_control = space, m.msg_controllen = sizeof space;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    MUST(sendmsg(to, &m, 0) == 1);
}

static int receive_fd(int from, bool many)
{
    char byte, space[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct mmsghdr m = {0};
    int fd;
    m.msg_hdr.msg_iov = &part, m.msg_hdr.msg_iovlen = 1;
    m.msg_hdr.msg_control = space, m.msg_hdr.msg_controllen = sizeof space;
    MUST(many ? recvmmsg(from, &m, 1, 0, NULL) == 1 : recvmsg(from, &m.msg_hdr, 0) == 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m.msg_hdr)), sizeof fd);
    return fd;
}

/* A number that the library knows as a file's, which a bare system call closed. */
static int stale(void)
{
    char byte = 1;
    int fd = open("own", O_CREAT | O_WRONLY, 0600);
    MUST(fd >= 0 && write(fd, &byte, 1) == 1);
    DID(posix_open_ops, 1), DID_WRITE(1);
    syscall(SYS_close, fd);
    return fd;
}

int main(void)
{
    static char data[1000];
    uint64_t times;
    int ends[2], q[2], fd, old;
    truth_begin();
    MUST(chdir(getenv("DATA")) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    MUST(pipe(q) == 0);
    int file = (int)syscall(SYS_openat, AT_FDCWD, "sent", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 4; i++) {
        send_fd(ends[1], i % 2 ? file : q[1]);
        old = stale();
        MUST((fd = receive_fd(ends[0], i / 2)) == old);
        MUST(write(fd, data, 1000) == 1000);
        if (i % 2)
            DID_WRITE(1000);
        else
            DID(stream_write_ops, 1), DID(stream_write_bytes, 1000);
        syscall(SYS_close, fd);
    }
    old = stale();
    MUST((fd = timerfd_create(CLOCK_MONOTONIC, 0)) == old);
    struct itimerspec at = {{0, 0}, {0, 1}};
    MUST(timerfd_settime(fd, 0, &at, NULL) == 0 && read(fd, &times, 8) == 8);
    syscall(SYS_close, fd);
    sigset_t mask;
    sigemptyset(&mask);
    old = stale();
    MUST((fd = signalfd(-1, &mask, SFD_NONBLOCK)) == old && read(fd, data, 200) == -1);
    syscall(SYS_close, fd);
    old = stale();
    MUST((fd = inotify_init1(IN_NONBLOCK)) == old && read(fd, data, 200) == -1);
    syscall(SYS_close, fd);
    old = stale();
    MUST((fd = epoll_create1(0)) == old && read(fd, data, 200) == -1);
    return 0;
}
