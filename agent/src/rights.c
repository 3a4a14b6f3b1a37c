/* rights.c: drops rights. Each step may be refused (an old kernel, a sandbox around us) and the
 * next is made nevertheless: rights that we do not have need not be dropped.
 *
 * RATIONALE: the filter names what is forbidden, not what is allowed: an unforeseen call of libc
 * must not end the counters of a machine. It contains the calls with which the sampler could do
 * harm; the allow-list is in the systemd unit, where an operator can extend it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rights.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define FORBID BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Only for programs that a source starts. */
static const unsigned of_programs[] = {SYS_execve, SYS_execveat, SYS_socketpair};
/* Only for them, and for a source that queries daemons of this machine: that one by sockets of
 * AF_UNIX. */
static const unsigned of_sockets[] = {SYS_socket, SYS_connect};

/* fchmod is allowed: a shared spool that was removed is made again with its mode. */
static const unsigned never[] = {
    /* clang-format off */
    SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount,
    SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns,
    SYS_unshare, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_bpf, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_open_by_handle_at, SYS_fchmodat, SYS_fchown, SYS_fchownat,
    SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_mknodat,
    SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_personality,
    SYS_userfaultfd,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_link,
    SYS_symlink, SYS_rename, SYS_renameat, SYS_mknod,
    SYS_iopl, SYS_ioperm,
#endif
    /* clang-format on */
};

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define FILTER_MAX (24 + 2 * (COUNT(of_programs) + COUNT(of_sockets) + COUNT(never)))

/* Adds calls to the filter as forbidden. Returns its new length. */
static unsigned short forbid(struct sock_filter *code, unsigned short n, const unsigned *calls,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
        code[n++] = (struct sock_filter)FORBID;
    }
    return n;
}

/* Other sockets than those of this machine. */
static unsigned short forbid_networks(struct sock_filter *code, unsigned short n)
{
    const unsigned family = offsetof(struct seccomp_data, args);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, family);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
    code[n++] = (struct sock_filter)FORBID;
    code[n++] = (struct sock_filter)LOAD(nr);
    return n;
}

static void forbid_calls(bool programs, bool sockets)
{
    struct sock_filter code[FILTER_MAX];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)LOAD(arch);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    code[n++] = (struct sock_filter)FORBID;
    code[n++] = (struct sock_filter)LOAD(nr);
#if defined(__x86_64__)
    /* The x32 calls have numbers of their own. */
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
    code[n++] = (struct sock_filter)FORBID;
#endif
    n = forbid(code, n, never, COUNT(never));
    if (!programs)
        n = forbid(code, n, of_programs, COUNT(of_programs));
    if (!programs && sockets)
        n = forbid_networks(code, n);
    else if (!programs)
        n = forbid(code, n, of_sockets, COUNT(of_sockets));
    code[n++] = (struct sock_filter)ALLOW;
    struct sock_fprog program = {.len = n, .filter = code};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Kept: to read what only root may (debugfs, RAPL), and to count with perf; where daemons of other
 * users are queried (Ceph's), to connect to their sockets, which is a right to write. */
static void drop_capabilities(bool sockets)
{
    const unsigned kept[] = {CAP_DAC_READ_SEARCH, CAP_PERFMON, CAP_DAC_OVERRIDE};
    const unsigned count = COUNT(kept) - !sockets;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}}, have[2] = {{0}};
    for (unsigned capability = 0; capability < 64; capability++)
        if (capability != CAP_DAC_READ_SEARCH && capability != CAP_PERFMON &&
            (capability != CAP_DAC_OVERRIDE || !sockets))
            prctl(PR_CAPBSET_DROP, capability);
    if (syscall(SYS_capget, &header, have) != 0)
        return;
    for (unsigned i = 0; i < count; i++) {
        unsigned bit = 1u << kept[i] % 32, word = kept[i] / 32;
        data[word].permitted |= bit & have[word].permitted;
        data[word].effective |= bit & have[word].permitted;
    }
    syscall(SYS_capset, &header, data);
}

void jst_rights_drop(bool programs, bool sockets)
{
    if (!programs)
        drop_capabilities(sockets);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    forbid_calls(programs, sockets);
}
