/* ship.h: shared declarations of jostle-ship: settings, the files of the spool, messages.
 *
 * Memory is bounded: JST_SHIP_FILES files of some 350 bytes, JST_SHIP_HASHES bytes of hashes of
 * live headers, a post of JST_SHIP_POST bytes and as much compressed, one header. Files beyond a
 * bound wait in the spool.
 */
#ifndef JST_SHIP_H
#define JST_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JST_SHIP_NAME 200                /* most bytes in a file's name */
#define JST_SHIP_FILES 16384             /* files looked after at a time, without root's ... */
#define JST_SHIP_USER_FILES 4096         /* ... and of one user */
#define JST_SHIP_FILE_MOST (1ULL << 30)  /* a larger file is no profile */
#define JST_SHIP_HEAD_MOST (16u << 20)   /* a larger header is invalid */
#define JST_SHIP_HASHES (32u << 20)      /* bytes of hashes of headers ... */
#define JST_SHIP_USER_HASHES (8u << 20)  /* ... and of one user's */
#define JST_SHIP_UNIT 128u               /* bytes of a header that are compared as one */
#define JST_SHIP_POST (4u << 20)         /* bytes of a post before compression */
#define JST_SHIP_RANGE (1u << 20)        /* bytes of data in a range */
#define JST_SHIP_RANGES 4000             /* ranges in a post */
#define JST_SHIP_RANGE_HEAD 36           /* bytes before the name in a range */
#define JST_SHIP_STILL_NS 900000000000LL /* a file that is not written for so long has ended */
#define JST_NS 1000000000LL

enum { JST_SHIP_OVER = 1, JST_SHIP_GAP = 2 }; /* flags of a range */

typedef struct jst_ship_settings {
    char spool[256];
    char receiver[512];    /* http://, https:// or unix:///PATH */
    char node[65];         /* this machine's name for the receiver */
    char ca_file[256];     /* certificates by which the receiver's is checked */
    char certificate[256]; /* our own, and its key */
    char key_file[256];
    char token_file[256];
    char munge_socket[108];
    bool munge;
    int64_t interval_ns; /* between posts, if the receiver does not request more */
    uint64_t quota;      /* bytes that files of the spool may take */
} jst_ship_settings;

/** Reads a configuration file over the defaults, and finds the spool. Returns NULL, or what is wrong
 *  (with its remedy), in a static buffer. `missing_ok`: there need be no such file. */
const char *jst_ship_read_settings(const char *path, bool missing_ok, jst_ship_settings *to);
/** Reads one line of it: for the fuzzer and the tests. */
const char *jst_ship_setting(char *line, jst_ship_settings *to);
/** Fills in what depends on others, and checks all of them together. */
const char *jst_ship_check_settings(jst_ship_settings *s);

enum jst_ship_kind { JST_KIND_PROFILE, JST_KIND_SHORTS, JST_KIND_BATCH };

struct jst_ship_user;

/* A file of the spool. */
typedef struct jst_ship_file {
    struct jst_ship_file *next_of_name; /* in its bucket */
    struct jst_ship_file *next, *prev;  /* of its user, in a ring */
    struct jst_ship_user *user;
    uint64_t id; /* its identity for the receiver */
    uint64_t inode, birth_ns;
    uint64_t size, disk; /* at the last check: bytes, and those on disk */
    uint64_t have;       /* bytes that the receiver acknowledged */
    uint64_t look;       /* hash of header and size at the last check */
    uint64_t over_look;  /* the same as it was when `over` was sent */
    int64_t changed_ns;  /* when that hash last changed, CLOCK_BOOTTIME */
    int64_t mtime_ns;
    int64_t wait_ns;  /* the receiver refused it: not before this, CLOCK_BOOTTIME */
    uint64_t *hashes; /* of the units of its header as the receiver has them, 0: unknown */
    uint32_t units;
    uint32_t scan;  /* number of the scan that last saw it */
    uint8_t stuck;  /* posts in a row without progress */
    uint8_t length; /* of its name */
    enum jst_ship_kind kind;
    bool known; /* have is from the receiver, or it is new */
    bool todo;  /* may have something to send */
    bool over;  /* its writer is gone */
    bool done;  /* the receiver has all of it */
    bool kept;  /* done, but it could not be removed: reported once */
    char name[JST_SHIP_NAME + 1];
} jst_ship_file;

typedef struct jst_ship_user {
    struct jst_ship_user *next;
    uint32_t uid;
    uint32_t files;
    uint64_t disk;         /* bytes that its files take */
    uint64_t hash_bytes;   /* of headers */
    jst_ship_file *cursor; /* the next one; NULL: no files */
} jst_ship_user;

/* ---- messages (say.c) --------------------------------------------------------------------- */

enum jst_ship_topic {
    JST_TOPIC_RECEIVER,
    JST_TOPIC_SPOOL,
    JST_TOPIC_QUOTA,
    JST_TOPIC_FILES,
    JST_TOPIC_REMOVE,
    JST_TOPIC_CHANGED,
    JST_TOPIC_STATE,
    JST_TOPICS
};

/** Prints a line, unless it is the last one of its topic again. */
void jst_ship_say(enum jst_ship_topic topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** The next message is new: the state has changed back. */
void jst_ship_hush(enum jst_ship_topic topic);
/** Now, ns of CLOCK_BOOTTIME: no step of the clock changes it. */
int64_t jst_ship_now(void);
uint64_t jst_ship_random(void);
uint64_t jst_ship_hash(const void *bytes, size_t n, uint64_t seed);

/* ---- rights (rights.c) ------------------------------------------------------------------------ */

/** Drops all capabilities except those needed: reading all users' files, and as root in another
 *  user's folder also removing them. Before any thread. Returns false, with errno. */
bool jst_ship_drop_rights(uint32_t spool_owner);

#endif
