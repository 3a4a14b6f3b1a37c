/* credential.h: credentials that prove the sender of a post. */
#ifndef JST_SHIP_CREDENTIAL_H
#define JST_SHIP_CREDENTIAL_H

#include "ship.h"

#define JST_CREDENTIAL_MOST 8192

/** Whether this build supports it; NULL, or why not. */
const char *jst_credential_check(const jst_ship_settings *s);
/** Writes the header `Authorization: ...` for a body that is sent at a time, which is that of the header
 *  Jostle-Time; "" when none is set. Returns NULL, or why not, in
 *  a static buffer. */
const char *jst_credential(const jst_ship_settings *s, int64_t time_ns, const uint8_t *body,
                           size_t n, char *to);

#endif
