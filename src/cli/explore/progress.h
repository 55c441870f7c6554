/* The progress line of an exploration. */
#ifndef CLI_EXPLORE_PROGRESS_H
#define CLI_EXPLORE_PROGRESS_H

#include "explore/explore.h"

enum { PROGRESS_MARKS = 16, PROGRESS_STAGES = 16 };

struct cli_progress {
    bool terminal; /* redraws one line; otherwise prints a plain line from time to time */
    bool colour;
    bool quiet;
    const char *alive; /* a file to touch regularly as a sign of life; NULL: none */
    double touched;    /* when the file was touched, in the report's seconds */
    bool open;         /* the line on the terminal is not finished */
    double last;       /* when the last plain line was written */
    double best;       /* seconds of the best kernel in the last plain line */
    const char *stage; /* of the last report */
    double since;      /* when that stage began */
    struct cli_progress_mark { /* speeds of the last half minute, for the rate */
        double at;
        int64_t trials;
    } marks[PROGRESS_MARKS];
    int mark_count;
    struct cli_progress_stage {
        const char *name;
        double seconds;
    } stages[PROGRESS_STAGES]; /* time of each stage, in the order of first use */
    int stage_count;
};

/* 'quiet': measures the stages, but prints nothing. */
void cli_progress_init(struct cli_progress *progress, bool quiet);
/* A lift_explore_report callback; 'user' is the struct. */
lift_explore_report cli_progress_report;
void cli_progress_end(struct cli_progress *progress);

/* Formats the line for 'width' columns, as text without colours. The least important
 * parts are shortened or omitted first. 'rate' is in trials a second. */
void cli_progress_line(const struct lift_explore_progress *p, double rate, int width,
                       struct lift_str *out);

#endif
