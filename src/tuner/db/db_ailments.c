/* What may be wrong with the rows of a database, one after the other. */
#include "tuner/db/db_doctor.h"
#include <stddef.h>

/* A try that cannot have been is kept as one that was lost: it counts for nothing, and a
 * merge with a sound copy brings the true one back. */
#define LOSE(reason) "UPDATE try SET status = 'lost', reason = '" reason "' WHERE "

#define TRIED "status NOT IN ('started', 'lost')"

/* All that rewrites make of the roots of problems, and all that they make of anything
 * that nothing leads to. */
#define REACHED(column)                                                                  \
    "(WITH RECURSIVE reached(root, node) AS (SELECT root, root FROM problem UNION"       \
    " SELECT r.root, d.child FROM reached r JOIN deriv d ON d.parent = r.node)"          \
    " SELECT " column " FROM reached)"
#define GROUNDED                                                                         \
    "(WITH RECURSIVE grounded(node) AS (SELECT id FROM expr WHERE id NOT IN"             \
    "  (SELECT child FROM deriv) UNION SELECT root FROM problem UNION"                   \
    " SELECT d.child FROM grounded g JOIN deriv d ON d.parent = g.node)"                 \
    " SELECT node FROM grounded)"

/* Tries of expressions that are not made of their own program, but of another or of none.
 */
#define STRAY(of_another)                                                                \
    "id IN (SELECT t.id FROM try t JOIN candidate c ON c.id = t.candidate"               \
    " JOIN problem p ON p.id = t.problem WHERE t." TRIED                                 \
    " AND (p.root, c.expr) NOT IN " REACHED("root, node") " AND c.expr " of_another      \
                                                          " " REACHED("node") ")"

/* See lift_db_possible. The median lies between the samples, as far as they are kept. */
#define NO_MEDIAN                                                                        \
    "median_ns IS NOT NULL AND EXISTS (SELECT 1 FROM problem p WHERE p.id = try.problem" \
    " AND NOT lift_possible(median_ns, max(p.points, ifnull(p.bytes, 0))))"
#define NO_SAMPLE                                                                        \
    "EXISTS (SELECT 1 FROM timing m WHERE m.try = try.id"                                \
    " AND (NOT lift_possible(m.ns, 0) OR m.batch < 1))"
#define ASIDE                                                                            \
    "median_ns < (SELECT min(m.ns) - 1 FROM timing m WHERE m.try = try.id)"              \
    " OR median_ns > (SELECT max(m.ns) + 1 FROM timing m WHERE m.try = try.id)"
#define NO_COST                                                                          \
    "ifnull(compile_s, 0) < 0 OR ifnull(check_s, 0) < 0 OR ifnull(measure_s, 0) < 0"
#define IMPOSSIBLE                                                                       \
    TRIED " AND (" NO_MEDIAN " OR " NO_SAMPLE " OR " ASIDE " OR " NO_COST ")"

#define NO_PLACE                                                                         \
    "NOT lift_possible(median_ns, 0) OR NOT lift_possible(low_ns, 0)"                    \
    " OR NOT lift_possible(high_ns, 0) OR low_ns > high_ns OR place < 1"

#define NO_SIZES                                                                         \
    "points <= 0 OR steps < 1 OR ifnull(bytes, 0) < 0 OR typeof(points) <> 'integer'"    \
    " OR typeof(bytes) NOT IN ('integer', 'null') OR NOT json_valid(sizes)"              \
    " OR EXISTS (SELECT 1 FROM json_each(iif(json_valid(sizes), sizes, '{}'))"           \
    "  WHERE type <> 'integer' OR value <= 0)"
#define OF_NO_SIZES " IN (SELECT id FROM problem WHERE " NO_SIZES ")"
#define OF_SUCH_TRIES " IN (SELECT id FROM try WHERE problem" OF_NO_SIZES ")"

#define NO_ROOF                                                                          \
    "copy_gbs IS NOT NULL AND (typeof(copy_gbs) NOT IN ('real', 'integer')"              \
    " OR copy_gbs <= 0 OR copy_gbs > 1e6)"

const struct db_ailment db_ailments[] = {
    {"SELECT count(*) FROM pragma_foreign_key_check",
     "every row finds those it refers to", "rows refer to rows that are not there", NULL,
     LIFT_DB_ILL},
    {"SELECT (SELECT count(*) FROM expr WHERE typeof(text) = 'blob' AND"
     "  length(sqlar_uncompress(text, bytes)) <> bytes)"
     " + (SELECT count(*) FROM source WHERE typeof(text) = 'blob' AND"
     "  length(sqlar_uncompress(text, bytes)) <> bytes)"
     " + (SELECT count(*) FROM build WHERE typeof(log) = 'blob' AND"
     "  length(sqlar_uncompress(log, log_bytes)) <> log_bytes)",
     "every packed text can be read", "packed texts are damaged", NULL, LIFT_DB_ILL},
    {"SELECT count(*) FROM try t JOIN session s ON s.id = t.session"
     " WHERE t.status = 'started' AND s.ended IS NOT NULL",
     "no try is stuck", "tries are in hand of sessions that have ended",
     LOSE("its session ended") "status = 'started' AND launched IS NOT NULL"
                               " AND session IN (SELECT id FROM session WHERE ended IS "
                               "NOT NULL);"
                               "UPDATE try SET ended = ifnull(launched, started) WHERE "
                               "status = 'lost'"
                               " AND ended IS NULL;"
                               "DELETE FROM try WHERE status = 'started' AND session IN "
                               "(SELECT id FROM session"
                               "   WHERE ended IS NOT NULL)",
     LIFT_DB_ILL},
    {"SELECT count(*) FROM try t WHERE status = 'ok' AND NOT"
     " (median_ns > 0 AND EXISTS (SELECT 1 FROM check_result k WHERE k.try = t.id))",
     "every good try has a time and checks", "good tries lack a time or checks", NULL,
     LIFT_DB_NOTE},
    {"SELECT count(*) FROM problem WHERE " NO_SIZES, "every size is a number from 1 on",
     "problems have sizes that are none",
     "DELETE FROM finalist WHERE problem" OF_NO_SIZES ";"
     "DELETE FROM reach WHERE problem" OF_NO_SIZES ";"
     "DELETE FROM timing WHERE try" OF_SUCH_TRIES ";"
     "DELETE FROM check_result WHERE try" OF_SUCH_TRIES ";"
     "DELETE FROM try WHERE problem" OF_NO_SIZES ";"
     "DELETE FROM problem WHERE " NO_SIZES,
     LIFT_DB_ILL},
    {"SELECT count(*) FROM try WHERE " IMPOSSIBLE, "every time is possible",
     "tries have times that are impossible", LOSE("its times are impossible") IMPOSSIBLE,
     LIFT_DB_ILL},
    {"SELECT count(*) FROM finalist WHERE " NO_PLACE, "every final has times",
     "places of finals have times that are impossible",
     "DELETE FROM finalist WHERE " NO_PLACE, LIFT_DB_ILL},
    {"SELECT count(*) FROM device WHERE " NO_ROOF, "every bandwidth is possible",
     "devices have bandwidths that are impossible: the next exploration measures them",
     "UPDATE device SET copy_gbs = NULL, copy_at = NULL WHERE " NO_ROOF, LIFT_DB_ILL},
    {"SELECT count(*) FROM device WHERE compute_units < 0 OR simd_width < 0"
     " OR max_group_size < 0 OR local_bytes < 0 OR global_bytes < 0 OR id <>"
     "  lift_device_id(runtime, vendor, name, arch, compute_units, simd_width,"
     "   local_bytes)",
     "every device has its name", "devices are not what their ids say", NULL,
     LIFT_DB_ILL},
    {"SELECT count(DISTINCT child) FROM deriv WHERE child NOT IN " GROUNDED,
     "no derivation leads in a circle", "expressions are derived from themselves",
     "DELETE FROM deriv WHERE child NOT IN " GROUNDED, LIFT_DB_ILL},
    {"SELECT count(*) FROM try WHERE " STRAY("IN"),
     "every try is of an expression of its program",
     "tries are of expressions of another program",
     LOSE("its expression is of another program") STRAY("IN"), LIFT_DB_ILL},
    {"SELECT count(*) FROM try WHERE " STRAY("NOT IN"), "every derivation is complete",
     "tries are of expressions that no derivation leads to from a program: no plan takes "
     "them",
     LOSE("no derivation leads to its expression") STRAY("NOT IN"), LIFT_DB_ILL},
    {NULL, NULL, NULL, NULL, LIFT_DB_WELL},
};
