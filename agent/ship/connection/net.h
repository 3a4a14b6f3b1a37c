/* net.h: the connection to the receiver: sends posts, receives answers. */
#ifndef JST_SHIP_NET_H
#define JST_SHIP_NET_H

#include "connection/answer.h"
#include "connection/post.h"

enum jst_outcome {
    JST_STORED,  /* answered: see the files in the answer */
    JST_AWAY,    /* no answer: it is not known whether it was stored */
    JST_BUSY,    /* later: backpressure, or no space there */
    JST_BAD,     /* the receiver does not understand the post */
    JST_REFUSED, /* it refuses posts from here: our identity, or our clock */
};

typedef struct jst_reply {
    enum jst_outcome outcome;
    int64_t retry_ns; /* the receiver asked to wait for so long; 0: it did not */
    char why[600];    /* a sentence, and the remedy */
} jst_reply;

/** Prepares it. Returns NULL, or why not. */
const char *jst_net_open(const jst_ship_settings *s);
/** Sends a post and waits for the answer. `answer` is filled in when it is stored. */
void jst_net_post(const jst_ship_settings *s, const jst_post *p, jst_reply *reply,
                  jst_answer *answer);
/** Bytes of bodies sent so far, compressed. */
uint64_t jst_net_sent(void);
/** Whether a signal waits that ends the program; a post in progress is then given up. */
bool jst_net_must_end(void);
void jst_net_close(void);

#endif
