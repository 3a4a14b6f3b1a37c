/* For programs of a portable build: glibc 2.34 changed how a program's start file calls libc. It passes no
 * functions for constructors any more, which an older libc takes for a program that has none; ours have none.
 *
 * Linked with --wrap=__libc_start_main: the start file calls the function below. */
typedef int jst_main(int, char **, char **);
typedef void jst_hook(void);

int old_start(jst_main *main, int argc, char **argv, jst_hook *init, jst_hook *fini,
              jst_hook *rtld_fini, void *stack_end);
__asm__(".symver old_start,__libc_start_main@" JST_OLDEST);

int __wrap___libc_start_main(jst_main *main, int argc, char **argv, jst_hook *init, jst_hook *fini,
                             jst_hook *rtld_fini, void *stack_end);
int __wrap___libc_start_main(jst_main *main, int argc, char **argv, jst_hook *init, jst_hook *fini,
                             jst_hook *rtld_fini, void *stack_end)
{
    return old_start(main, argc, argv, init, fini, rtld_fini, stack_end);
}
