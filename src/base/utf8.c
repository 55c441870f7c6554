#include "base/utf8.h"
#include <stdbool.h>
#include <string.h>

static int length_by_first(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

static bool is_text(unsigned code)
{
    if (code < ' ')
        return code == '\t' || code == '\n' || code == '\r';
    return !(code >= 0x7f && code < 0xa0) && !(code >= 0x202a && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069) && !(code >= 0xd800 && code < 0xe000) &&
           code != 0xfffe && code != 0xffff && code <= 0x10ffff;
}

int lift_utf8_char(const char *s, const char *end)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = s < end ? length_by_first((unsigned char)*s) : 0;
    unsigned code;

    if (length == 0 || end - s < length)
        return 0;
    code = length > 1 ? (unsigned char)*s & (0xffU >> (length + 1)) : (unsigned char)*s;
    for (int i = 1; i < length; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)s[i] & 0x3f);
    }
    return code >= least[length] && is_text(code) ? length : 0;
}

size_t lift_utf8_check(const char *text, size_t len)
{
    size_t at = 0;
    int length = 1;

    while (at < len && length > 0) {
        length = text[at] >= ' ' && text[at] < 0x7f
                     ? 1
                     : lift_utf8_char(text + at, text + len);
        at += (size_t)length;
    }
    return at;
}

size_t lift_utf8_check_shown(const char *text, size_t len)
{
    size_t good = lift_utf8_check(text, len);
    const char *at = memchr(text, '\r', good);

    while (at && at + 1 < text + len && at[1] == '\n')
        at = memchr(at + 1, '\r', (size_t)(text + good - at - 1));
    return at ? (size_t)(at - text) : good;
}

void lift_utf8_add(struct lift_str *out, const char *text, size_t len)
{
    while (len > 0) {
        size_t good = lift_utf8_check_shown(text, len);

        lift_str_addn(out, text, good);
        if (good == len)
            return;
        lift_str_add(out, "\xef\xbf\xbd");
        text += good + 1;
        len -= good + 1;
    }
}
