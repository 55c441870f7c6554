--@ Errors of rows (db_row_errors.c): DB_COUNT_* counts the rows with an error, DB_REPAIR_* repairs them. An
--@ impossible trial becomes a lost one, which counts for nothing; a merge with an undamaged copy of the
--@ database restores it.

--@define LOSE
UPDATE trial SET status = 'lost', reason =

--@define TRIED
status NOT IN ('started', 'lost')

--@DB_COUNT_REFERENCES
SELECT count(*) FROM pragma_foreign_key_check

--@DB_COUNT_PACKED
SELECT (SELECT count(*) FROM expr WHERE typeof(text) = 'blob'
    AND length(sqlar_uncompress(text, bytes)) <> bytes)
  + (SELECT count(*) FROM source WHERE typeof(text) = 'blob'
    AND length(sqlar_uncompress(text, bytes)) <> bytes)
  + (SELECT count(*) FROM build WHERE typeof(log) = 'blob'
    AND length(sqlar_uncompress(log, log_bytes)) <> log_bytes)

--@DB_COUNT_STUCK
SELECT count(*) FROM trial t JOIN session s ON s.id = t.session
  WHERE t.status = 'started' AND s.ended IS NOT NULL

--@DB_REPAIR_STUCK
$LOSE 'its session ended' WHERE status = 'started' AND launched IS NOT NULL
  AND session IN (SELECT id FROM session WHERE ended IS NOT NULL);
UPDATE trial SET ended = ifnull(launched, started) WHERE status = 'lost' AND ended IS NULL;
DELETE FROM trial WHERE status = 'started'
  AND session IN (SELECT id FROM session WHERE ended IS NOT NULL);

--@DB_COUNT_UNCHECKED
SELECT count(*) FROM trial t WHERE status = 'ok' AND NOT
  (median_ns > 0 AND EXISTS (SELECT 1 FROM check_result k WHERE k.trial = t.id))

--@define NO_SIZES
points <= 0 OR steps < 1 OR ifnull(bytes, 0) < 0 OR typeof(points) <> 'integer'
  OR typeof(bytes) NOT IN ('integer', 'null') OR NOT json_valid(sizes)
  OR EXISTS (SELECT 1 FROM json_each(iif(json_valid(sizes), sizes, '{}'))
    WHERE type <> 'integer' OR value <= 0)

--@define OF_NO_SIZES
IN (SELECT id FROM problem WHERE $NO_SIZES)

--@define OF_SUCH_TRIALS
IN (SELECT id FROM trial WHERE problem $OF_NO_SIZES)

--@DB_COUNT_SIZES
SELECT count(*) FROM problem WHERE $NO_SIZES

--@DB_REPAIR_SIZES
DELETE FROM finalist WHERE problem $OF_NO_SIZES;
DELETE FROM reach WHERE problem $OF_NO_SIZES;
DELETE FROM timing WHERE trial $OF_SUCH_TRIALS;
DELETE FROM check_result WHERE trial $OF_SUCH_TRIALS;
DELETE FROM trial WHERE problem $OF_NO_SIZES;
DELETE FROM problem WHERE $NO_SIZES;

--@ See lift_db_possible. The median lies between the samples, as far as they are kept.
--@define IMPOSSIBLE
$TRIED AND (
  median_ns IS NOT NULL AND EXISTS (SELECT 1 FROM problem p WHERE p.id = trial.problem
    AND NOT lift_possible(median_ns, max(p.points, ifnull(p.bytes, 0))))
  OR EXISTS (SELECT 1 FROM timing m WHERE m.trial = trial.id
    AND (NOT lift_possible(m.ns, 0) OR m.batch < 1))
  OR median_ns < (SELECT min(m.ns) - 1 FROM timing m WHERE m.trial = trial.id)
  OR median_ns > (SELECT max(m.ns) + 1 FROM timing m WHERE m.trial = trial.id)
  OR ifnull(compile_s, 0) < 0 OR ifnull(check_s, 0) < 0 OR ifnull(measure_s, 0) < 0)

--@DB_COUNT_TIMES
SELECT count(*) FROM trial WHERE $IMPOSSIBLE

--@DB_REPAIR_TIMES
$LOSE 'its times are impossible' WHERE $IMPOSSIBLE

--@define NO_PLACE
NOT lift_possible(median_ns, 0) OR NOT lift_possible(low_ns, 0)
  OR NOT lift_possible(high_ns, 0) OR low_ns > high_ns OR place < 1

--@DB_COUNT_PLACES
SELECT count(*) FROM finalist WHERE $NO_PLACE

--@DB_REPAIR_PLACES
DELETE FROM finalist WHERE $NO_PLACE

--@define NO_BANDWIDTH
(copy_gbs IS NOT NULL AND (typeof(copy_gbs) NOT IN ('real', 'integer')
  OR copy_gbs <= 0 OR copy_gbs > 1e6)) OR (cache_gbs IS NOT NULL AND (typeof(cache_gbs)
  NOT IN ('real', 'integer') OR cache_gbs <= 0 OR cache_gbs > 1e6)) OR (cache_bytes IS NOT NULL
  AND (typeof(cache_bytes) <> 'integer' OR cache_bytes <= 0))

--@DB_COUNT_BANDWIDTHS
SELECT count(*) FROM device WHERE $NO_BANDWIDTH

--@DB_REPAIR_BANDWIDTHS
UPDATE device SET copy_gbs = NULL, copy_at = NULL, cache_gbs = NULL, cache_bytes = NULL WHERE $NO_BANDWIDTH

--@ See db_row_wrong.
--@define MISNAMED
id <> lift_candidate_id(expr, tunables)

--@DB_COUNT_CANDIDATES
SELECT count(*) FROM candidate WHERE $MISNAMED

--@ Trials name a candidate by its content: rows that were swapped get their own names back, and trials of
--@ a content that is nowhere go.
--@define NAMELESS
IN (SELECT id FROM trial WHERE candidate NOT IN (SELECT id FROM candidate))

--@DB_REPAIR_CANDIDATES
PRAGMA defer_foreign_keys = 1;
CREATE TEMP TABLE named AS SELECT lift_candidate_id(expr, tunables) AS id, expr, tunables
  FROM candidate WHERE $MISNAMED;
DELETE FROM candidate WHERE $MISNAMED;
INSERT OR IGNORE INTO candidate SELECT id, expr, tunables FROM temp.named;
DROP TABLE temp.named;
DELETE FROM finalist WHERE trial $NAMELESS;
DELETE FROM timing WHERE trial $NAMELESS;
DELETE FROM check_result WHERE trial $NAMELESS;
DELETE FROM trial WHERE id $NAMELESS

--@ The way back by first-found parents (first_deriv) ends at a root, or where nothing leads to.
--@define IN_CIRCLES
child NOT IN (WITH RECURSIVE grounded(node) AS (
    SELECT id FROM expr WHERE id NOT IN (SELECT child FROM deriv) UNION SELECT root FROM problem
    UNION SELECT d.child FROM grounded g JOIN first_deriv d ON d.parent = g.node)
  SELECT node FROM grounded)

--@DB_COUNT_CIRCLES
SELECT count(DISTINCT child) FROM deriv WHERE child = parent OR $IN_CIRCLES

--@ A row that does not lead towards a root is not as deep as its parent's first one.
--@DB_REPAIR_CIRCLES
DELETE FROM deriv WHERE child = parent;
DELETE FROM deriv AS d WHERE $IN_CIRCLES AND d.depth <=
  (SELECT min(p.depth) FROM deriv p WHERE p.child = d.parent)
  AND d.parent NOT IN (SELECT root FROM problem);
DELETE FROM deriv WHERE $IN_CIRCLES

--@ All that rewrites make of the roots of problems.
--@define REACHED
WITH RECURSIVE reached(root, node) AS (SELECT root, root FROM problem
  UNION SELECT r.root, d.child FROM reached r JOIN deriv d ON d.parent = r.node)

--@ Trials of expressions that are not made of their own program,
--@define STRAY
id IN (SELECT t.id FROM trial t JOIN candidate c ON c.id = t.candidate
    JOIN problem p ON p.id = t.problem WHERE t.$TRIED
    AND (p.root, c.expr) NOT IN ($REACHED SELECT root, node FROM reached) AND c.expr

--@ but of another,
--@define OF_ANOTHER
$STRAY IN ($REACHED SELECT node FROM reached))

--@ or of none.
--@define OF_NONE
$STRAY NOT IN ($REACHED SELECT node FROM reached))

--@DB_COUNT_ANOTHER
SELECT count(*) FROM trial WHERE $OF_ANOTHER

--@DB_REPAIR_ANOTHER
$LOSE 'its expression is of another program' WHERE $OF_ANOTHER

--@DB_COUNT_NONE
SELECT count(*) FROM trial WHERE $OF_NONE

--@DB_REPAIR_NONE
$LOSE 'no derivation leads to its expression' WHERE $OF_NONE
