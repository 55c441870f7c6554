#include "base/str.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lift_str_fini(struct lift_str *s)
{
    free(s->data);
    *s = (struct lift_str){0};
}

void lift_str_clear(struct lift_str *s)
{
    s->len = 0;
    if (s->data)
        s->data[0] = '\0';
}

static void reserve(struct lift_str *s, size_t extra)
{
    size_t need = s->len + extra + 1;

    if (need <= s->cap)
        return;
    s->cap = need < 64 ? 64 : need + need / 2;
    s->data = lift_resize(s->data, 1, s->cap);
}

void lift_str_addn(struct lift_str *s, const char *text, size_t len)
{
    reserve(s, len);
    if (len)
        memcpy(s->data + s->len, text, len);
    s->len += len;
    s->data[s->len] = '\0';
}

void lift_str_addc(struct lift_str *s, char c)
{
    lift_str_addn(s, &c, 1);
}

void lift_str_add(struct lift_str *s, const char *text)
{
    lift_str_addn(s, text, strlen(text));
}

void lift_str_vaddf(struct lift_str *s, const char *format, va_list args)
{
    va_list again;
    int len;

    va_copy(again, args);
    len = lift_vsnprintf(NULL, 0, format, args);
    LIFT_ASSERT(len >= 0);
    reserve(s, (size_t)len);
    lift_vsnprintf(s->data + s->len, (size_t)len + 1, format, again);
    va_end(again);
    s->len += (size_t)len;
}

void lift_str_addf(struct lift_str *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    lift_str_vaddf(s, format, args);
    va_end(args);
}

const char *lift_str_get(const struct lift_str *s)
{
    return s->data ? s->data : "";
}

char *lift_str_take(struct lift_str *s)
{
    char *text;

    reserve(s, 0);
    s->data[s->len] = '\0';
    text = s->data;
    *s = (struct lift_str){0};
    return text;
}

void lift_str_add_quoted(struct lift_str *out, const char *text)
{
    lift_str_addc(out, '"');
    for (; *text; text++) {
        if (*text == '\n' || *text == '\t') {
            lift_str_add(out, *text == '\n' ? "\\n" : "\\t");
            continue;
        }
        if (*text == '"' || *text == '\\')
            lift_str_addc(out, '\\');
        lift_str_addc(out, *text);
    }
    lift_str_addc(out, '"');
}
