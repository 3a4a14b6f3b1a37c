/* ceph_ask.c: sends queries to Ceph's daemons (ceph_ask.h). Nothing here waits for one daemon
 * alone: sockets do not block, and answers are read as they arrive, each by its reader, through one
 * buffer.
 */
#include "ceph_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys.h"

#define TALKS 256
#define MS UINT64_C(1000000)

static char buffer[65536];

static void end_with(jst_ceph_talk *talk, jst_ceph_result result)
{
    if (talk->fd >= 0)
        close(talk->fd);
    talk->fd = -1;
    talk->result = result;
}

/* A path that is too long for an address is reached through a descriptor of its folder. */
static int connect_to(int fd, const char *folder, const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int place = -1, n = snprintf(to.sun_path, sizeof to.sun_path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof to.sun_path) {
        place = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        n = snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s", place, name);
    }
    int error = ENAMETOOLONG;
    if (n >= 0 && (size_t)n < sizeof to.sun_path)
        error = connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
    if (place >= 0)
        close(place);
    return error;
}

static jst_ceph_result result_of(int error)
{
    switch (error) {
    case 0:
        return JST_CEPH_ASKED;
    case EAGAIN: /* more connections wait than it can queue: it hangs */
        return JST_CEPH_SILENT;
    case EACCES:
    case EPERM:
        return JST_CEPH_DENIED;
    default:
        return JST_CEPH_GONE;
    }
}

void jst_ceph_ask(jst_ceph_talk *talk, const char *folder, const char *name, const char *question)
{
    talk->have = 0;
    talk->length = talk->left = 0;
    talk->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = talk->fd < 0 ? errno : connect_to(talk->fd, folder, name);
    talk->result = result_of(error);
    if (talk->result != JST_CEPH_ASKED) {
        end_with(talk, talk->result);
        return;
    }
    size_t n = strlen(question) + 1;
    if (send(talk->fd, question, n, MSG_NOSIGNAL) != (ssize_t)n)
        end_with(talk, JST_CEPH_WRONG);
}

/* Reads the header of the answer. Returns how many bytes of the piece it had. */
static size_t take_head(jst_ceph_talk *talk, const char *piece, size_t n)
{
    size_t used = 0;
    while (talk->have < sizeof talk->head && used < n)
        talk->head[talk->have++] = (unsigned char)piece[used++];
    if (used && talk->have == sizeof talk->head) {
        for (unsigned i = 0; i < sizeof talk->head; i++)
            talk->length = talk->length << 8 | talk->head[i];
        talk->left = talk->length;
    }
    return used;
}

static void take(jst_ceph_talk *talk, const char *piece, size_t n)
{
    size_t used = take_head(talk, piece, n);
    if (talk->have < sizeof talk->head)
        return;
    n -= used;
    bool good = talk->length <= JST_CEPH_ANSWER && n <= talk->left &&
                jst_json_take(&talk->json, piece + used, n);
    talk->left -= good ? (uint32_t)n : 0;
    if (!good)
        end_with(talk, JST_CEPH_WRONG);
    else if (talk->left == 0)
        end_with(talk, jst_json_is_whole(&talk->json) ? JST_CEPH_GOOD : JST_CEPH_WRONG);
}

static void read_answer(jst_ceph_talk *talk)
{
    ssize_t n = recv(talk->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0)
        take(talk, buffer, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        end_with(talk, JST_CEPH_WRONG);
}

/* Those that have not answered; an ended one is processed first. */
static unsigned gather(jst_ceph_talk *const *talks, unsigned n, struct pollfd *polled,
                       unsigned *which)
{
    unsigned open = 0;
    for (unsigned i = 0; i < n; i++)
        if (talks[i]->result == JST_CEPH_ASKED) {
            polled[open] = (struct pollfd){.fd = talks[i]->fd, .events = POLLIN};
            which[open++] = i;
        }
    return open;
}

void jst_ceph_listen(jst_ceph_talk *const *talks, unsigned n, uint64_t until_ns,
                     void (*next)(unsigned i))
{
    static struct pollfd polled[TALKS];
    static unsigned which[TALKS];
    unsigned open;
    n = n < TALKS ? n : TALKS;
    for (unsigned i = 0; i < n; i++)
        if (talks[i]->result != JST_CEPH_ASKED)
            next(i);
    while ((open = gather(talks, n, polled, which))) {
        uint64_t now = jst_clock_ns(CLOCK_MONOTONIC);
        int r = now < until_ns ? poll(polled, open, (int)((until_ns - now + MS - 1) / MS)) : 0;
        if (r == 0)
            break;
        for (unsigned i = 0; i < open && r > 0; i++) {
            if (!polled[i].revents)
                continue;
            read_answer(talks[which[i]]);
            if (talks[which[i]]->result != JST_CEPH_ASKED)
                next(which[i]);
        }
    }
    for (unsigned i = 0; i < n; i++)
        while (talks[i]->result == JST_CEPH_ASKED) {
            end_with(talks[i], JST_CEPH_SILENT);
            next(i);
        }
}
