/* The parts of a report's page, one file each. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/data.h"
#include "report/html.h"

/* The whole page. */
void report_page(struct html *h, const struct report *r);
/* What is the same in every report: page.html and style.css. */
enum report_text { REPORT_BEGIN, REPORT_READING, REPORT_STYLE };
extern const char *const report_texts[];

/* Above the problems. */
void report_head(struct html *h, const struct report *r);
void report_overview(struct html *h, const struct report *r);

/* Of one problem. */
void report_problem(struct html *h, const struct report *r, int problem);
void report_times(struct html *h, const struct report *r, const struct report_problem *p);
void report_finals(struct html *h, const struct report *r,
                   const struct report_pair *pair);
void report_fastest(struct html *h, const struct report *r,
                    const struct report_pair *pair);
void report_commands(struct html *h, const struct report *r,
                     const struct report_problem *p);

/* A roofline: the best kernel of each problem on each device; or, if 'only' is not NULL,
 * the kernels of that problem. Nothing if no roof or no traffic is known. */
void report_roofline(struct html *h, const struct report *r,
                     const struct report_problem *only);

/* What several parts do. */
/* "nx 512 ny 512" of JSON. */
void report_json_words(struct html *h, const char *json);
/* The id of a problem's section. */
const char *report_anchor(int problem, char out[16]);
/* A table in a box that scrolls by itself when it is too wide; 'what' names it. A heading
 * that begins with '#' is one of numbers. Its rows come next; report_table_end ends
 * it. */
void report_table(struct html *h, const char *what, const char *const *heads);
void report_table_end(struct html *h);
/* A cell with a number; one with a bar, a share of its length, and a text beside it; that
 * with the best kernel's share of the roof. */
void report_number(struct html *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_bar(struct html *h, int series, double share, const char *text);
/* What follows the time of the best kernel, if it was in no final benchmark. Otherwise
 * "". */
const char *report_unconfirmed(const struct report_pair *pair);
void report_roof_cell(struct html *h, const struct report_pair *pair);
/* The roof of a problem on a device in GPts/s; 0: unknown. */
double report_roof_gpts(const struct report *r, const struct report_problem *p,
                        int device);

#endif
