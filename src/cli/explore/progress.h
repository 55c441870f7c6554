/* The progress line of an exploration. */
#ifndef CLI_EXPLORE_PROGRESS_H
#define CLI_EXPLORE_PROGRESS_H

#include "explore/explore.h"

enum { PROGRESS_MARKS = 16, PROGRESS_STAGES = 16 };

struct cli_progress {
    bool terminal; /* one line that changes; otherwise a plain line now and then */
    bool colour;
    bool quiet;
    const char *alive;         /* a file that is touched now and then; NULL: none */
    double touched;            /* when it was, as the report counts seconds */
    bool open;                 /* the line on the terminal is not ended yet */
    double last;               /* when the last plain line was written */
    double best;               /* seconds of the best kernel of that line */
    const char *stage;         /* of the last report */
    double since;              /* when that stage began */
    struct cli_progress_mark { /* the last half minute, for the rate */
        double at;
        int64_t trials;
    } marks[PROGRESS_MARKS];
    int mark_count;
    struct cli_progress_stage {
        const char *name;
        double seconds;
    } stages[PROGRESS_STAGES]; /* what took how long, in the order of first use */
    int stage_count;
};

/* 'quiet' keeps the account of the stages only. */
void cli_progress_init(struct cli_progress *progress, bool quiet);
/* A lift_explore_report; 'user' is the struct. */
lift_explore_report cli_progress_report;
void cli_progress_end(struct cli_progress *progress);

/* The line for 'width' columns, as text without colours: what matters least is shortened
 * or left out first. 'rate' is in trials a second. */
void cli_progress_line(const struct lift_explore_progress *p, double rate, int width,
                       struct lift_str *out);

#endif
