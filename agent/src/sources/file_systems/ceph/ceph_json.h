/* ceph_json.h: reads JSON as it arrives, piece by piece, without keeping it (ceph_json.c).
 *
 * Memory and depth are bounded whatever a daemon sends: an answer that is nested more deeply, or is
 * no JSON, ends the reading. Keys and texts are cut at the sizes below.
 */
#ifndef JST_CEPH_JSON_H
#define JST_CEPH_JSON_H

#include <stdbool.h>
#include <stddef.h>

#define JST_JSON_DEPTH 16
#define JST_JSON_KEY 48
#define JST_JSON_TEXT 256

typedef enum jst_json_event {
    JST_JSON_WORD, /* a number, true, false, null; as it is written */
    JST_JSON_TEXT_VALUE,
    JST_JSON_BEGIN, /* an object or a list begins */
    JST_JSON_END    /* it ends */
} jst_json_event;

typedef struct jst_json jst_json;

struct jst_json {
    /** Called with each value. `depth` keys lead to it; those of members of a list are "". */
    void (*each)(void *to, const jst_json *j, jst_json_event event, const char *text);
    void *to;
    /* The rest belongs to the reader. */
    char key[JST_JSON_DEPTH][JST_JSON_KEY];
    char text[JST_JSON_TEXT];
    unsigned depth, used, hex, code;
    unsigned lists; /* bit d: what is open at depth d is a list */
    char expects, within;
    bool bad;
};

/** Begins to read: `each` and `to` are set, all else is cleared. */
void jst_json_begin(jst_json *j,
                    void (*each)(void *to, const jst_json *j, jst_json_event event,
                                 const char *text),
                    void *to);
/** Takes the next piece. False: it is no JSON, or too deep; nothing more is reported. */
bool jst_json_take(jst_json *j, const char *piece, size_t n);
/** Was that a whole value, and nothing else? */
bool jst_json_is_whole(const jst_json *j);
/** Are these the keys of the value that is reported? NULL ends them. */
bool jst_json_at(const jst_json *j, const char *first, const char *second, const char *third);

#endif
