#include "device/msgpack.h"
#include <string.h>

/* The data after a type byte: a number, or the length of the following data. */
static const struct form {
    unsigned char first, last; /* of the byte */
    enum msgpack_kind kind;
    unsigned char bytes;    /* big-endian bytes of the number or of the length */
    unsigned char skipped;  /* following bytes that lift ignores */
    bool is_signed, length; /* length: the number is the length of data in bytes */
} forms[] = {
    {0xc0, 0xc3, MSGPACK_OTHER, 0, 0, false, false}, /* nil, false, true */
    {0xc4, 0xc4, MSGPACK_OTHER, 1, 0, false, true},  /* bytes */
    {0xc5, 0xc5, MSGPACK_OTHER, 2, 0, false, true},
    {0xc6, 0xc6, MSGPACK_OTHER, 4, 0, false, true},
    {0xc7, 0xc7, MSGPACK_OTHER, 1, 1, false, true}, /* extensions */
    {0xc8, 0xc8, MSGPACK_OTHER, 2, 1, false, true},
    {0xc9, 0xc9, MSGPACK_OTHER, 4, 1, false, true},
    {0xca, 0xca, MSGPACK_OTHER, 0, 4, false, false}, /* floats */
    {0xcb, 0xcb, MSGPACK_OTHER, 0, 8, false, false},
    {0xcc, 0xcc, MSGPACK_NUMBER, 1, 0, false, false},
    {0xcd, 0xcd, MSGPACK_NUMBER, 2, 0, false, false},
    {0xce, 0xce, MSGPACK_NUMBER, 4, 0, false, false},
    {0xcf, 0xcf, MSGPACK_NUMBER, 8, 0, false, false},
    {0xd0, 0xd0, MSGPACK_NUMBER, 1, 0, true, false},
    {0xd1, 0xd1, MSGPACK_NUMBER, 2, 0, true, false},
    {0xd2, 0xd2, MSGPACK_NUMBER, 4, 0, true, false},
    {0xd3, 0xd3, MSGPACK_NUMBER, 8, 0, true, false},
    {0xd4, 0xd4, MSGPACK_OTHER, 0, 2, false, false}, /* extensions of fixed size */
    {0xd5, 0xd5, MSGPACK_OTHER, 0, 3, false, false},
    {0xd6, 0xd6, MSGPACK_OTHER, 0, 5, false, false},
    {0xd7, 0xd7, MSGPACK_OTHER, 0, 9, false, false},
    {0xd8, 0xd8, MSGPACK_OTHER, 0, 17, false, false},
    {0xd9, 0xd9, MSGPACK_TEXT, 1, 0, false, true},
    {0xda, 0xda, MSGPACK_TEXT, 2, 0, false, true},
    {0xdb, 0xdb, MSGPACK_TEXT, 4, 0, false, true},
    {0xdc, 0xdc, MSGPACK_LIST, 2, 0, false, false},
    {0xdd, 0xdd, MSGPACK_LIST, 4, 0, false, false},
    {0xde, 0xde, MSGPACK_MAP, 2, 0, false, false},
    {0xdf, 0xdf, MSGPACK_MAP, 4, 0, false, false},
};

static bool take(struct msgpack *m, size_t bytes)
{
    if ((size_t)(m->end - m->at) < bytes)
        return false;
    m->at += bytes;
    return true;
}

static bool take_text(struct msgpack *m, size_t bytes, struct msgpack_value *out)
{
    out->text = (const char *)m->at;
    out->count = bytes;
    return take(m, bytes);
}

static int64_t extend(uint64_t n, int bytes)
{
    switch (bytes) {
    case 1:
        return (int8_t)n;
    case 2:
        return (int16_t)n;
    case 4:
        return (int32_t)n;
    default:
        return (int64_t)n;
    }
}

/* Decodes type bytes that contain a small number or length. */
static bool take_short(struct msgpack *m, unsigned char byte, struct msgpack_value *out)
{
    if (byte < 0x80 || byte >= 0xe0) {
        out->kind = MSGPACK_NUMBER;
        out->number = byte < 0x80 ? byte : byte - 0x100;
        return true;
    }
    out->kind = byte < 0x90 ? MSGPACK_MAP : byte < 0xa0 ? MSGPACK_LIST : MSGPACK_TEXT;
    if (out->kind == MSGPACK_TEXT)
        return take_text(m, byte & 0x1f, out);
    out->count = byte & 0x0f;
    return true;
}

static bool take_form(struct msgpack *m, const struct form *f, struct msgpack_value *out)
{
    const unsigned char *digits = m->at;
    uint64_t n = 0;

    if (!take(m, f->bytes))
        return false;
    for (int i = 0; i < f->bytes; i++)
        n = n << 8 | digits[i];
    out->kind = f->kind;
    if (f->kind == MSGPACK_NUMBER)
        out->number = f->is_signed ? extend(n, f->bytes) : (int64_t)n;
    else
        out->count = (size_t)n;
    return take(m, f->skipped) && (!f->length || take_text(m, (size_t)n, out));
}

bool msgpack_next(struct msgpack *m, struct msgpack_value *out)
{
    unsigned char byte;

    *out = (struct msgpack_value){.kind = MSGPACK_OTHER};
    if (m->at == m->end)
        return false;
    byte = *m->at++;
    if (byte < 0xc0 || byte >= 0xe0)
        return take_short(m, byte, out);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (byte >= forms[i].first && byte <= forms[i].last)
            return take_form(m, &forms[i], out);
    return false;
}

bool msgpack_is(const struct msgpack_value *v, const char *text)
{
    return v->kind == MSGPACK_TEXT && v->text && v->count == strlen(text) &&
           memcmp(v->text, text, v->count) == 0;
}

bool msgpack_skip(struct msgpack *m)
{
    struct msgpack_value v;

    for (uint64_t open = 1; open > 0; open--) {
        if (!msgpack_next(m, &v))
            return false;
        if (v.kind == MSGPACK_LIST || v.kind == MSGPACK_MAP)
            open += v.kind == MSGPACK_MAP ? 2 * (uint64_t)v.count : v.count;
    }
    return true;
}

bool msgpack_find(struct msgpack m, const char *key, struct msgpack *value)
{
    struct msgpack_value v;
    size_t pairs;

    if (!msgpack_next(&m, &v) || v.kind != MSGPACK_MAP)
        return false;
    for (pairs = v.count; pairs > 0; pairs--) {
        if (!msgpack_next(&m, &v) || v.kind != MSGPACK_TEXT)
            return false;
        if (msgpack_is(&v, key)) {
            *value = m;
            return true;
        }
        if (!msgpack_skip(&m))
            return false;
    }
    return false;
}
