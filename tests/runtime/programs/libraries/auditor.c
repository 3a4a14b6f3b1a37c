/*
 * An auditor (LD_AUDIT) that puts its own function in the place of pwrite, as tools do that move
 * files for their users: whoever binds the name, or asks dlsym for it, gets this one. It writes
 * capitals.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static ssize_t in_capitals(int fd, const void *buf, size_t n, off_t at)
{
    char text[64];
    size_t length = n < sizeof text ? n : sizeof text;
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)toupper(((const unsigned char *)buf)[i]);
    }
    return syscall(SYS_pwrite64, fd, text, length, at);
}

unsigned la_version(unsigned version)
{
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)map, (void)space, (void)cookie;
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                       unsigned *flags, const char *name)
{
    (void)index, (void)from, (void)flags;
    const char *defined_in = ((struct link_map *)*to)->l_name;
    if (strcmp(name, "pwrite") == 0 && strstr(defined_in, "libc.so") != NULL) {
        return (uintptr_t)in_capitals;
    }
    return symbol->st_value;
}
