#include "report/html.h"
#include "lift/bug.h"
#include "lift/utf8.h"
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
    snprintf(out, HTML_NUMBER, "%.2f", value);
    if (strcmp(out, "-0.00") == 0)
        strcpy(out, "0");
    else if (strcmp(out + strlen(out) - 3, ".00") == 0)
        out[strlen(out) - 3] = '\0';
    return out;
}

/* ---- tags */

static void begin(struct html *h, const char *tag, va_list args)
{
    const char *name;

    lift_str_addf(&h->out, "<%s", tag);
    while ((name = va_arg(args, const char *))) {
        const char *value = va_arg(args, const char *);

        if (!value)
            continue;
        lift_str_addf(&h->out, " %s=\"", name);
        escape(&h->out, value);
        lift_str_addc(&h->out, '"');
    }
}

static void push(struct html *h, const char *tag)
{
    LIFT_ASSERT(h->depth < HTML_DEPTH);
    h->open[h->depth++] = tag;
    lift_str_addc(&h->out, '>');
}

void html_open(struct html *h, const char *tag, ...)
{
    va_list args;

    va_start(args, tag);
    begin(h, tag, args);
    va_end(args);
    push(h, tag);
}

void html_empty(struct html *h, const char *tag, ...)
{
    va_list args;

    va_start(args, tag);
    begin(h, tag, args);
    va_end(args);
    lift_str_add(&h->out, "/>");
}

/* A line ends where a reader of the text wants one: after blocks. */
void html_close(struct html *h)
{
    static const char *const blocks[] = {"div", "tr",      "table", "p",  "h1",   "h2",
                                         "h3",  "section", "svg",   "li", "head", "style",
                                         "pre", "details", "g",     NULL};
    const char *tag;

    LIFT_ASSERT(h->depth > 0);
    tag = h->open[--h->depth];
    lift_str_addf(&h->out, "</%s>", tag);
    for (int i = 0; blocks[i]; i++)
        if (!strcmp(blocks[i], tag))
            lift_str_addc(&h->out, '\n');
}

void html_close_all(struct html *h, int count)
{
    while (count-- > 0)
        html_close(h);
}

/* ---- text */

void html_text(struct html *h, const char *text)
{
    escape(&h->out, text);
}

static void vtextf(struct html *h, const char *format, va_list args)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_vaddf(&text, format, args);
    html_text(h, lift_str_get(&text));
}

void html_textf(struct html *h, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vtextf(h, format, args);
    va_end(args);
}

void html_leaf(struct html *h, const char *tag, const char *class, const char *format,
               ...)
{
    va_list args;

    html_open(h, tag, "class", class, NULL);
    va_start(args, format);
    vtextf(h, format, args);
    va_end(args);
    html_close(h);
}

void html_raw(struct html *h, const char *text)
{
    lift_str_add(&h->out, text);
}
