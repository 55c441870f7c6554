/* What an exploration came to, for people or as JSON. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "lift/explore.h"

/* 'r' ended by its budget, exhausted or interrupted. Returns the exit status. */
int cli_explore_summary(const struct lift_explore_result *r, const char *db, bool json);

#endif
