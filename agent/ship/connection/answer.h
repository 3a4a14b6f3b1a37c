/* answer.h: the receiver's answer: lines of plain text, see docs/reference/agent.md. */
#ifndef JST_SHIP_ANSWER_H
#define JST_SHIP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JST_ANSWER_MOST (1u << 20) /* bytes */
#define JST_ANSWER_FILES 4096

typedef struct jst_answer_file {
    uint64_t id, have;
    uint32_t owner;
    bool done;
    char why[16]; /* "": all that was sent of it was stored */
} jst_answer_file;

typedef struct jst_answer {
    int64_t time_ns; /* the receiver's clock; 0: not given */
    int64_t after_ns;
    uint64_t credit; /* UINT64_MAX: not given */
    char error[32];  /* "": none */
    char why[256], fix[256];
    uint32_t files;
    jst_answer_file file[JST_ANSWER_FILES];
} jst_answer;

/** Parses an answer. Returns false when it is invalid. Bytes: any, `n` of them. */
bool jst_answer_parse(const char *bytes, size_t n, jst_answer *to);

#endif
