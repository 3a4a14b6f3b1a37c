/* ceph_json.c: reads JSON in pieces (ceph_json.h). Pure: no memory of its own and no system
 * call. */
#include "ceph_json.h"

#include <string.h>

/* What may come next. */
enum {
    VALUE = 0,   /* a value */
    FIRST_VALUE, /* a value, or the end of the list */
    KEY,         /* a key */
    FIRST_KEY,   /* a key, or the end of the object */
    COLON,       /* the colon after a key */
    COMMA,       /* a comma, or the end of what is open */
    NOTHING      /* the value was whole */
};

/* What is being read. */
enum { BETWEEN = 0, STRING, ESCAPE, HEX, WORD };

void jst_json_begin(jst_json *j,
                    void (*each)(void *to, const jst_json *j, jst_json_event event,
                                 const char *text),
                    void *to)
{
    memset(j, 0, sizeof *j);
    j->each = each;
    j->to = to;
}

bool jst_json_is_whole(const jst_json *j)
{
    return !j->bad && j->expects == NOTHING && j->within == BETWEEN;
}

bool jst_json_at(const jst_json *j, const char *first, const char *second, const char *third)
{
    const char *const keys[] = {first, second, third};
    unsigned n = 0;
    for (; n < 3 && keys[n]; n++)
        if (n >= j->depth || strcmp(j->key[n], keys[n]) != 0)
            return false;
    return n == j->depth;
}

static bool is_list(const jst_json *j)
{
    return j->lists >> (j->depth - 1) & 1;
}

static void put(jst_json *j, char c)
{
    if (j->used < sizeof j->text - 1)
        j->text[j->used++] = c;
}

static bool value_is_over(jst_json *j)
{
    j->expects = j->depth ? COMMA : NOTHING;
    return true;
}

static bool open_one(jst_json *j, bool list)
{
    if (j->depth == JST_JSON_DEPTH)
        return false;
    j->each(j->to, j, JST_JSON_BEGIN, "");
    j->key[j->depth][0] = 0;
    j->lists &= ~(1u << j->depth);
    j->lists |= (unsigned)list << j->depth;
    j->depth++;
    j->expects = list ? FIRST_VALUE : FIRST_KEY;
    return true;
}

static bool close_one(jst_json *j, bool list)
{
    bool may = j->expects == COMMA || j->expects == (list ? FIRST_VALUE : FIRST_KEY);
    if (!may || !j->depth || is_list(j) != list)
        return false;
    j->depth--;
    j->each(j->to, j, JST_JSON_END, "");
    return value_is_over(j);
}

static bool begin_text(jst_json *j, char within)
{
    j->used = 0;
    j->within = within;
    return true;
}

static bool end_string(jst_json *j)
{
    j->text[j->used] = 0;
    j->within = BETWEEN;
    if (j->expects == KEY || j->expects == FIRST_KEY) {
        char *key = j->key[j->depth - 1];
        size_t n = j->used < JST_JSON_KEY - 1 ? j->used : JST_JSON_KEY - 1;
        memcpy(key, j->text, n);
        key[n] = 0;
        j->expects = COLON;
        return true;
    }
    j->each(j->to, j, JST_JSON_TEXT_VALUE, j->text);
    return value_is_over(j);
}

static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

static bool take_comma(jst_json *j)
{
    if (j->expects != COMMA)
        return false;
    j->expects = is_list(j) ? VALUE : KEY;
    return true;
}

/* Outside of strings and words. */
static bool take_between(jst_json *j, char c)
{
    bool value = j->expects == VALUE || j->expects == FIRST_VALUE;
    switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        return true;
    case '{':
    case '[':
        return value && open_one(j, c == '[');
    case '}':
    case ']':
        return close_one(j, c == ']');
    case ',':
        return take_comma(j);
    case ':':
        if (j->expects != COLON)
            return false;
        j->expects = VALUE;
        return true;
    case '"':
        return (value || j->expects == KEY || j->expects == FIRST_KEY) && begin_text(j, STRING);
    default:
        if (!value || !is_of_word(c))
            return false;
        begin_text(j, WORD);
        put(j, c);
        return true;
    }
}

static bool take_escape(jst_json *j, char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(from, c) : NULL;
    j->within = STRING;
    if (at) {
        put(j, to[at - from]);
    } else if (c == 'u') {
        j->within = HEX;
        j->hex = j->code = 0;
    }
    return at || c == 'u';
}

/* Characters that are not ASCII become '?': no searched name has any. */
static bool take_hex(jst_json *j, char c)
{
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
        return false;
    j->code = j->code * 16 + digit;
    if (++j->hex == 4) {
        put(j, j->code && j->code < 128 ? (char)j->code : '?');
        j->within = STRING;
    }
    return true;
}

static bool take_one(jst_json *j, char c)
{
    switch (j->within) {
    case STRING:
        if (c == '"')
            return end_string(j);
        if (c == '\\')
            j->within = ESCAPE;
        else
            put(j, c ? c : '?');
        return true;
    case ESCAPE:
        return take_escape(j, c);
    case HEX:
        return take_hex(j, c);
    case WORD:
        if (is_of_word(c)) {
            put(j, c);
            return true;
        }
        j->text[j->used] = 0;
        j->within = BETWEEN;
        j->each(j->to, j, JST_JSON_WORD, j->text);
        value_is_over(j);
        return take_between(j, c);
    default:
        return take_between(j, c);
    }
}

bool jst_json_take(jst_json *j, const char *piece, size_t n)
{
    for (size_t i = 0; i < n && !j->bad; i++)
        j->bad = !take_one(j, piece[i]);
    return !j->bad;
}
