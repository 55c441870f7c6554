/* How much the columns of a table explain of a target, by the forest that guides searches
 * (tuner/search/forest.h). */
#ifndef TUNER_IMPORTANCE_H
#define TUNER_IMPORTANCE_H

/* Of 'count' rows of 'columns' numbers each and a target a row. Writes to 'shares' the
 * part of the reduced variance that splits on each column account for; they add up to 1,
 * or are all 0 if no split reduces it. Returns the part of the variance of every second
 * row that a forest of the other rows explains: 0 to 1, 0 for less than 4 rows. The same
 * arguments give the same answer. */
double lift_importance(const float *rows, const float *targets, int count, int columns,
                       double *shares);

#endif
