/* jst_decode_state.c: what a later reading of a growing profile needs to know of the records before
 * the place at which it begins.
 *
 * A state begins with its kind and a checksum of the header's fixed fields, so that it is used only
 * for the file from which it was made.
 */
#include "jst_decode_parts.h"

void jst_state_bytes(jst_job *j, const void *p, uint64_t bytes)
{
    jst_decode *d = j->d;
    const uint64_t need = d->state_bytes + bytes;
    if (j->state_lost || bytes == 0)
        return;
    if (bytes > JST_DECODE_STATE_MAX - j->r->state_bytes ||
        (need > d->states.bytes && !jst_memory_grow(&d->states, need * 2))) {
        j->state_lost = true;
        return;
    }
    memcpy(d->states.p + d->state_bytes, p, bytes);
    d->state_bytes = need;
    j->r->state_bytes += bytes;
}

void jst_state_number(jst_job *j, uint64_t v)
{
    uint8_t text[10];
    unsigned bytes = 0;
    for (; v >= 0x80; v >>= 7)
        text[bytes++] = (uint8_t)(v | 0x80);
    text[bytes++] = (uint8_t)v;
    jst_state_bytes(j, text, bytes);
}

void jst_state_forget(jst_job *j)
{
    j->d->state_bytes -= j->r->state_bytes;
    j->r->state_bytes = 0;
}

void jst_state_begin(jst_job *j, enum jst_state_kind kind)
{
    const uint64_t sum = jst_head_fixed_sum(j->r->head);
    j->r->state = j->d->state_bytes;
    j->r->state_bytes = 0;
    j->state_lost = false;
    jst_state_number(j, kind);
    jst_state_bytes(j, &sum, sizeof sum);
}

bool jst_state_end(jst_job *j)
{
    if (j->state_lost)
        jst_state_forget(j);
    return !j->state_lost;
}

jst_cursor jst_state_given(const jst_job *j, enum jst_state_kind kind)
{
    const jst_cursor none = {NULL, NULL};
    if (j->d->given_bytes == 0)
        return none;
    jst_cursor c = {j->d->given, j->d->given + j->d->given_bytes};
    if (jst_take_varint(&c) != kind)
        return none;
    const uint8_t *sum = jst_take_bytes(&c, sizeof(uint64_t));
    if (sum == NULL || jst_load64(sum) != jst_head_fixed_sum(j->r->head))
        return none;
    return c;
}

bool jst_state_again(jst_job *j)
{
    j->r->state = j->d->state_bytes;
    j->r->state_bytes = 0;
    j->state_lost = false;
    jst_state_bytes(j, j->d->given, j->d->given_bytes);
    return jst_state_end(j);
}
