/* Included after old_symbols.h in files that make threads or query the loader, in a portable build.
 *
 * 2.34 moved what was libpthread into libc: such libraries are linked with libpthread.so.0, which is empty
 * there. */
#if defined __x86_64__
#define JST_SECOND "GLIBC_2.3.3"
#else
#define JST_SECOND JST_OLDEST
#endif

/* clang-format off */
__asm__(".symver dlinfo,dlinfo@" JST_SECOND);
__asm__(".symver pthread_attr_setstacksize,pthread_attr_setstacksize@" JST_OLDEST);
__asm__(".symver pthread_condattr_setclock,pthread_condattr_setclock@" JST_SECOND);
__asm__(".symver pthread_create,pthread_create@" JST_OLDEST);
__asm__(".symver pthread_detach,pthread_detach@" JST_OLDEST);
__asm__(".symver pthread_sigmask,pthread_sigmask@" JST_OLDEST);
/* clang-format on */
