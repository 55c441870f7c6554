/* The progress line of an exploration. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "lift/explore.h"

struct cli_progress {
    bool terminal; /* one line that changes; else a plain line every few seconds */
    bool quiet;
    double last; /* when the last plain line was written */
    bool open;   /* the line on the terminal is not ended yet */
};

void cli_progress_init(struct cli_progress *progress, bool quiet);
/* A lift_explore_report; 'user' is the struct. */
lift_explore_report cli_progress_report;
void cli_progress_end(struct cli_progress *progress);

#endif
