/* Five threads in addition to the main one, for three slices. */
#include "../truth.h"

#include <pthread.h>

static void *wait_a_while(void *argument)
{
    usleep(350000);
    return argument;
}

int main(int argc, char **argv)
{
    static char buffer[100000];
    pthread_t threads[5];
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    fd = open("data", O_RDWR | O_CREAT, 0644);
    MUST(write(fd, buffer, sizeof buffer) == sizeof buffer);
    for (int i = 0; i < 5; i++) {
        pthread_create(&threads[i], NULL, wait_a_while, NULL);
    }
    for (int i = 0; i < 5; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
