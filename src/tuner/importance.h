/* How much the columns of a table explain of a target, computed by the forest that
 * guides searches (tuner/search/forest.h). */
#ifndef TUNER_IMPORTANCE_H
#define TUNER_IMPORTANCE_H

/* The table has 'count' rows of 'columns' numbers, and a target for each row. Writes
 * to 'shares' the fraction of the reduced variance due to splits on each column. The
 * shares add up to 1, or are all 0 if no split reduces the variance. Returns a
 * fraction of the variance of every second row: the part that a forest of the other
 * rows explains, and 0 for fewer than 4 rows. The result is deterministic. */
double lift_importance(const float *rows, const float *targets, int count, int columns,
                       double *shares);

#endif
