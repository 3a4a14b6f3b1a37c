/* argv: directory, number of short threads one after the other, number of threads at once. */
#include "../truth.h"

#include <pthread.h>

static int fd;
static pthread_key_t key;
static pthread_barrier_t barrier;

static void write_once(int size)
{
    static const char buffer[64];
    MUST(pwrite(fd, buffer, (size_t)size, 0) == size);
    DID_WRITE(size);
}

/* Late in a thread's teardown, after its thread-local storage was given back. */
static void destructor(void *value)
{
    (void)value;
    write_once(2);
}

static void *brief(void *argument)
{
    pthread_setspecific(key, &fd);
    write_once(3);
    return argument;
}

static void *crowd(void *argument)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 200; i++) {
        write_once(5);
    }
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(int argc, char **argv)
{
    int in_turn, at_once;
    pthread_attr_t small;
    pthread_t *threads;
    MUST(argc == 4 && chdir(argv[1]) == 0);
    in_turn = atoi(argv[2]), at_once = atoi(argv[3]);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    pthread_key_create(&key, destructor);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    threads = calloc((size_t)at_once + 1, sizeof *threads);
    for (int i = 0; i < in_turn; i++) {
        MUST(pthread_create(&threads[0], &small, brief, NULL) == 0);
        MUST(pthread_join(threads[0], NULL) == 0);
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)at_once + 1);
    for (int i = 0; i < at_once; i++) {
        MUST(pthread_create(&threads[i], &small, crowd, NULL) == 0);
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < at_once; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
