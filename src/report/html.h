/* Writing one page that is HTML and XML at once: everything that is not ours is escaped,
 * numbers are finite. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/str.h"

enum { HTML_NUMBER = 32 };

/* '{0}' is an empty page; the text is released with lift_str_fini(&h->out). */
struct html {
    struct lift_str out;
    int ids; /* given so far */
};

/* Markup with arguments, which are escaped: the conversions %s, %d, %lld and those of
 * doubles, as for printf. What it opens it closes, or another one does. */
void html_put(struct html *h, const char *markup, ...)
    __attribute__((format(printf, 2, 3)));
/* Only for texts of this program. */
void html_raw(struct html *h, const char *text);

/* A finite number as SVG and CSS take it, two digits after the point; returns 'out'. */
const char *html_number(double value, char out[HTML_NUMBER]);

#endif
