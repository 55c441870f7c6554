/* Writing one page that is HTML and XML at once: tags are closed in order, everything
 * that is not ours is escaped, numbers are finite. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "lift/str.h"

enum { HTML_DEPTH = 64, HTML_NUMBER = 32 };

/* '{0}' is an empty page; the text is released with lift_str_fini(&h->out). */
struct html {
    struct lift_str out;
    const char *open[HTML_DEPTH];
    int depth, ids; /* ids given so far */
};

/* Attributes are pairs of name and value, ended by NULL; one whose value is NULL is left
 * out. */
void html_open(struct html *h, const char *tag, ...) __attribute__((sentinel));
void html_empty(struct html *h, const char *tag, ...) __attribute__((sentinel));
/* Closes what was opened last, or so many. */
void html_close(struct html *h);
void html_close_all(struct html *h, int count);

void html_text(struct html *h, const char *text);
void html_textf(struct html *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A tag with nothing but text in it; 'class' may be NULL. */
void html_leaf(struct html *h, const char *tag, const char *class, const char *format,
               ...) __attribute__((format(printf, 4, 5)));
/* Only for texts of this program. */
void html_raw(struct html *h, const char *text);

/* A finite number as SVG and CSS take it, two digits after the point; returns 'out'. */
const char *html_number(double value, char out[HTML_NUMBER]);

#endif
