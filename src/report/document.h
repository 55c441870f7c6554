/* The report of 'lift report', as a JSON document and as a page that draws the
 * document (docs/report.md). */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "base/arena.h"
#include "base/str.h"
#include "report/wanted.h"
#include <jansson.h>

/* Creates the document, which the caller releases. 'path' is the database as the user
 * named it. Returns NULL, with an error of the database, if the database cannot be
 * read. */
json_t *report_document(struct lift_db *db, const char *path,
                        const struct report_wanted *wanted, struct lift_arena *arena);

/* Appends the document as ASCII, with '<', '>' and '&' escaped in strings. So no
 * string ends the page's script element, and terminals interpret no control
 * characters. */
void report_print(const json_t *document, struct lift_str *out);
/* Appends the page, one self-contained HTML file. */
void report_page(const json_t *document, struct lift_str *out);

/* The parts of page.html. */
enum report_text { REPORT_BEGIN, REPORT_END };
extern const char *const report_texts[];

#endif
