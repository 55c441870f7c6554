#include "report/html.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- escaping */

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return "&#39;";
    }
}

static void escape(struct lift_str *out, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "<>&\"'");

        lift_utf8_add(out, text, plain);
        text += plain;
        if (*text)
            lift_str_add(out, entity(*text++));
    }
}

const char *html_number(double value, char out[HTML_NUMBER])
{
    LIFT_ASSERT(isfinite(value) && fabs(value) < 1e15);
    lift_snprintf(out, HTML_NUMBER, "%.2f", value);
    if (strcmp(out, "-0.00") == 0)
        strcpy(out, "0");
    else if (strcmp(out + strlen(out) - 3, ".00") == 0)
        out[strlen(out) - 3] = '\0';
    return out;
}

/* ---- markup */

void html_raw(struct html *h, const char *text)
{
    lift_str_add(&h->out, text);
}

/* The argument of a conversion as text; what follows the conversion. */
static const char *put_argument(struct html *h, const char *format, va_list *args)
{
    char one[16];
    size_t size = strspn(format + 1, "+.0123456789l") + 2;
    LIFT_SCOPED(lift_str) text = {0};

    LIFT_ASSERT(size < sizeof one);
    lift_snprintf(one, sizeof one, "%.*s", (int)size, format);
    switch (one[size - 1]) {
    case '%':
        lift_str_addc(&text, '%');
        break;
    case 's':
        lift_str_addf(&text, one, va_arg(*args, const char *));
        break;
    case 'd':
        lift_str_addf(&text, "%lld",
                      strstr(one, "ll") ? va_arg(*args, long long) : va_arg(*args, int));
        break;
    default:
        lift_str_addf(&text, one, va_arg(*args, double));
    }
    escape(&h->out, lift_str_get(&text));
    return format + size;
}

void html_put(struct html *h, const char *markup, ...)
{
    va_list args;

    va_start(args, markup);
    while (*markup) {
        size_t plain = strcspn(markup, "%");

        lift_str_addn(&h->out, markup, plain);
        markup += plain;
        if (*markup)
            markup = put_argument(h, markup, &args);
    }
    va_end(args);
}
