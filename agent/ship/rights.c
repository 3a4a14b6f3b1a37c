/* rights.c: limits the rights of the running program: reading all files, and otherwise those of its
 * user. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ship.h"

#define BIT(capability) (1u << (capability)) /* all that are kept are among the first 32 */

bool jst_ship_drop_rights(uint32_t spool_owner)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) < 0)
        return false;
    uint32_t keep = BIT(CAP_DAC_READ_SEARCH);
    if (geteuid() == 0 && spool_owner != 0)
        keep |= BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER);
    for (int c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
        if (c >= 32 || !(keep & BIT(c)))
            prctl(PR_CAPBSET_DROP, c, 0, 0, 0); /* only a process that may; the sets below count */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    sets[0].permitted &= keep;
    sets[0].effective = sets[0].permitted;
    sets[0].inheritable = 0;
    memset(&sets[1], 0, sizeof sets[1]);
    if (syscall(SYS_capset, &header, sets) < 0)
        return false;
    /* A token or key in memory is not readable by others, and no program is started. */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}
