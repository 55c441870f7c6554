/* What may be wrong with the rows of a database, one after the other: sql/ailments.sql.
 */
#include "tuner/db/db_doctor.h"

const struct db_ailment db_ailments[] = {
    {DB_COUNT_REFERENCES, DB_STMTS, "every row finds those it refers to",
     "rows refer to rows that are not there", LIFT_DB_ILL},
    {DB_COUNT_PACKED, DB_STMTS, "every packed text can be read",
     "packed texts are damaged", LIFT_DB_ILL},
    {DB_COUNT_STUCK, DB_MEND_STUCK, "no trial is stuck",
     "trials are in hand of sessions that have ended", LIFT_DB_ILL},
    {DB_COUNT_UNCHECKED, DB_STMTS, "every good trial has a time and checks",
     "good trials lack a time or checks", LIFT_DB_NOTE},
    {DB_COUNT_SIZES, DB_MEND_SIZES, "every size is a number from 1 on",
     "problems have sizes that are none", LIFT_DB_ILL},
    {DB_COUNT_TIMES, DB_MEND_TIMES, "every time is possible",
     "trials have times that are impossible", LIFT_DB_ILL},
    {DB_COUNT_PLACES, DB_MEND_PLACES, "every final has times",
     "places of finals have times that are impossible", LIFT_DB_ILL},
    {DB_COUNT_BANDWIDTHS, DB_MEND_BANDWIDTHS, "every bandwidth is possible",
     "devices have bandwidths that are impossible: the next exploration measures them",
     LIFT_DB_ILL},
    {DB_COUNT_CANDIDATES, DB_MEND_CANDIDATES, "every candidate is what its id says",
     "candidates are not what their ids say", LIFT_DB_ILL},
    {DB_COUNT_CIRCLES, DB_MEND_CIRCLES, "no derivation leads in a circle",
     "expressions are derived from themselves", LIFT_DB_ILL},
    {DB_COUNT_ANOTHER, DB_MEND_ANOTHER, "every trial is of an expression of its program",
     "trials are of expressions of another program", LIFT_DB_ILL},
    {DB_COUNT_NONE, DB_MEND_NONE, "every derivation is complete",
     "trials are of expressions that no derivation leads to from a program: no plan "
     "takes "
     "them",
     LIFT_DB_ILL},
    {.count = DB_STMTS},
};
