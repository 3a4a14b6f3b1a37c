/* Functions of a program that bear the names of our helpers stay the program's. */
#include "../truth.h"

#include <dlfcn.h>

static volatile int called;
#define MINE(name)                                                                                 \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return ++called;                                                                           \
    }
/* clang-format off */
MINE(jst_enter) MINE(jst_enter_slow) MINE(jst_start) MINE(jst_real) MINE(jst_resolve)
MINE(jst_fail) MINE(jst_moved) MINE(jst_come_up) MINE(jst_configure) MINE(jst_heartbeat_start)
MINE(jst_crc32) MINE(jst_put_varint) MINE(jst_fd_resolve) MINE(jst_say) MINE(hash2) MINE(foo)
int jst_cfg, jst_fds, jst_a, jst_reals, jst_tick_ns;
/* clang-format on */

int main(int argc, char **argv)
{
    static char big[100000];
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    for (int i = 0; i < 10; i++) {
        MUST(write(fd, big, sizeof big) == sizeof big);
        DID_WRITE((long long)sizeof big);
    }
    usleep(150000);
    MUST(called == 0 && jst_cfg == 0 && jst_fds == 0 && jst_a == 0 && jst_reals == 0);
    return 0;
}
