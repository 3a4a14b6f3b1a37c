/* fuzz_ship_head.c: arbitrary profiles of users: read, and put into posts as far as possible. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../connection/post.c"
#include "../say.c"
#include "../spool/alive.c"
#include "../spool/file.c"
#include "../spool/spool.c"

static jst_spool spool;
static jst_post post;

static void begin(void)
{
    static char folder[] = "/tmp/jostle-fuzz-XXXXXX";
    if (!mkdtemp(folder) || !jst_spool_open(&spool, folder))
        abort();
}

/* Nothing before the header, and nothing that the file does not have. */
static void check(const jst_look *l, const jst_ship_file *f)
{
    for (uint32_t i = 0; i < post.sent_count; i++)
        if (post.sent[i].end > l->size && post.sent[i].end > f->have)
            abort();
    if (post.size > post.room)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (spool.dir == 0)
        begin();
    if (size < 8)
        return 0;
    int fd = openat(spool.dir, "a.1.1.jst", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    uint32_t control;
    memcpy(&control, data, sizeof control);
    if (fd < 0 || write(fd, JST_MAGIC, 8) != 8 || write(fd, data + 4, size - 4) < 0 ||
        ftruncate(fd, (off_t)(control % 65536)) < 0)
        abort();
    close(fd);
    jst_spool_scan(&spool);
    jst_ship_file *f = spool.users ? spool.users->cursor : NULL;
    if (!f)
        return 0;
    f->have = control >> 16;
    f->known = true;
    for (int turn = 0; turn < 2; turn++) {
        jst_look look;
        if (!jst_post_begin(&post, (control & 1) ? 70000 : 5000) ||
            !jst_file_look(&spool, f, &look))
            return 0;
        jst_file_emit(&spool, f, &look, &post, control & 2 ? 3000 : 1 << 20);
        jst_look_close(&look);
        check(&look, f);
        for (uint32_t i = 0; i < post.sent_count; i++) {
            jst_answer_file answer = {f->id, post.sent[i].end, f->user->uid, false, ""};
            if (control & 4)
                jst_file_lost(&post, &post.sent[i]);
            else
                jst_file_acknowledge(&spool, &post, &post.sent[i], &answer);
        }
    }
    return 0;
}
