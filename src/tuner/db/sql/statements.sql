--@ Each is prepared once, at its first use. docs/database-schema.md describes the tables.

--@DB_BEGIN
BEGIN IMMEDIATE

--@DB_COMMIT
COMMIT

--@DB_ROLLBACK
ROLLBACK

--@DB_PUT_DEVICE
INSERT OR IGNORE INTO device(id, runtime, name, vendor, arch,
  compute_units, simd_width, max_group_size, local_bytes, global_bytes)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

--@DB_PUT_COPY_BANDWIDTH
UPDATE device SET copy_gbs = ?2, copy_at = $NOW WHERE id = ?1

--@DB_PUT_CACHE_BANDWIDTH
UPDATE device SET cache_bytes = ?2, cache_gbs = ?3 WHERE id = ?1

--@DB_GET_CACHE_BANDWIDTH
SELECT ifnull(cache_bytes, 0), ifnull(cache_gbs, 0) FROM device WHERE id = ?

--@DB_GET_COPY_BANDWIDTH
SELECT ifnull(copy_gbs, 0) FROM device WHERE id = ?

--@DB_PUT_PROGRAM
INSERT OR IGNORE INTO program(id, name, text) VALUES (?, ?, ?)

--@DB_PUT_PROBLEM
INSERT OR IGNORE INTO problem(id, program, root, sizes, params,
  dtype, points, bytes, steps)
  VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), max(?, 1))

--@DB_PUT_EXPR
INSERT INTO expr(id, level, size, bytes, text)
  VALUES (?1, ?2, ?3, length(CAST(?4 AS BLOB)), lift_pack(?4))
  ON CONFLICT(id) DO UPDATE SET level = excluded.level,
  bytes = excluded.bytes, text = excluded.text
  WHERE expr.text = '' AND excluded.text <> ''

--@ See version 4 in schema.sql.
--@DB_PUT_DERIV
INSERT OR IGNORE INTO deriv(child, parent, rule, position, args, depth, later)
  SELECT ?1, ?2, ?3, ?4, ?5, max(ifnull((SELECT min(depth) FROM deriv
    WHERE child = ?1), 1), 1 + CASE WHEN EXISTS (SELECT 1 FROM problem
    WHERE root = ?2) THEN 0 ELSE ifnull((SELECT min(depth) FROM deriv
    WHERE child = ?2), 0) END), EXISTS (SELECT 1 FROM deriv WHERE child = ?1)
  WHERE ?1 <> ?2

--@DB_PUT_MACRO
INSERT OR IGNORE INTO macro_use(child, parent, macro, position, steps, depth)
  VALUES (?, ?, ?, ?, ?, ?)

--@DB_PUT_CONFIGURATION
INSERT OR IGNORE INTO configuration(expr, options) VALUES (?, ?)

--@DB_PUT_CANDIDATE
INSERT OR IGNORE INTO candidate(id, expr, tunables) VALUES (?, ?, ?)

--@DB_SESSION_START
INSERT INTO session(id, argv, seed, budget, versions, host, boot,
  pid, born, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,
  strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('-%.3f seconds', ?)))

--@DB_SESSION_END
UPDATE session SET ended = $NOW, end_reason = ?2
  WHERE id = ?1 AND ended IS NULL

--@DB_SESSION_DIED
$END_DEAD AND id = ?1

--@DB_SESSIONS_DIED
$END_DEAD

--@DB_SESSIONS_OPEN
SELECT id, host, boot, pid, born FROM session WHERE ended IS NULL

--@DB_LOSE_TRIALS
UPDATE trial SET status = 'lost', reason = ?2 || iif(launched IS NULL,
  ', before it was run', ', while it was run'),
  ended = iif(?3, ifnull(launched, started), $NOW)
  WHERE session = ?1 AND status = 'started'

--@DB_FORGET_TRIALS
DELETE FROM trial WHERE session = ?1 AND status = 'started'
  AND launched IS NULL

--@DB_TRIAL_LAUNCH
UPDATE trial SET launched = $NOW WHERE id = ?1

--@DB_TRIAL_START
INSERT INTO trial(id, candidate, problem, device, session, phase, env, status,
  reason, started) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), 'started', '', $NOW)

--@DB_TRIAL_FINISH
UPDATE trial SET status = ?2, reason = ?3, build = nullif(?4, ''),
  median_ns = ?5, compile_s = nullif(?6, 0), check_s = nullif(?7, 0),
  measure_s = nullif(?8, 0), ended = $NOW WHERE id = ?1 AND status = 'started'

--@DB_TRIAL_DEVICE
SELECT device FROM trial WHERE id = ?

--@DB_PUT_ENV
INSERT OR IGNORE INTO env(id, os, kernel, driver, runtime, compiler,
  tool, unit, settings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

--@DB_PUT_SOURCE
INSERT INTO source(id, bytes, text)
  VALUES (?1, length(CAST(?2 AS BLOB)), lift_pack(?2))
  ON CONFLICT(id) DO UPDATE SET text = excluded.text,
  bytes = excluded.bytes WHERE text IS NULL

--@DB_PUT_BUILD
INSERT OR IGNORE INTO build(id, source, compiler, driver, flags, registers,
  spill_bytes, local_bytes, max_group_size, log_bytes, log) VALUES (?1, ?2, ?3,
  ?4, ?5, nullif(?6, -1), nullif(?7, -1), nullif(?8, -1), nullif(?9, -1),
  length(CAST(?10 AS BLOB)), lift_pack(?10))

--@DB_PUT_CHECK
INSERT INTO check_result(trial, idx, kind, max_error, bound, bad,
  first_bad) VALUES (?, ?, ?, ?, ?, ?, nullif(?, -1))

--@DB_PUT_TIMING
INSERT INTO timing(trial, idx, ns, batch, mhz, throttled)
  VALUES (?, ?, ?, ?, nullif(?, 0), nullif(?, -1))

--@DB_PUT_REACH
INSERT OR IGNORE INTO reach(session, problem, device, what, reason,
  count) VALUES (?, ?, ?, ?, ?, ?)

--@DB_PUT_FINALIST
INSERT INTO finalist(session, problem, device, place, trial, median_ns, low_ns,
  high_ns, tied) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

--@DB_PUT_EVENT
INSERT INTO device_event(id, device, session, at, kind, text)
  VALUES (?, ?, ?, $NOW, ?, ?)

--@DB_BYTES
SELECT page_count * page_size FROM pragma_page_count, pragma_page_size

--@DB_BEST
SELECT program, sizes, device, runtime, tunables, gpts, gbs,
  copy_percent / 100, median_ms / 1000, expr, trial, problem_id, device_id, dtype,
  program_id, steps, confirmed, copy_level = 'cache' FROM (SELECT k.*, b.dtype, k.program AS name,
   k.program_id AS id, EXISTS (SELECT 1 FROM finalist f WHERE f.trial = k.trial
    AND f.problem = k.problem_id AND f.device = k.device_id) AS confirmed
   FROM best_kernel k
   JOIN problem b ON b.id = k.problem_id) p
  WHERE (?1 = '' OR $BY_PROGRAM)
  AND (?2 = '' OR sizes = ?2)
  AND (?3 = '' OR device_id IN (SELECT id FROM device WHERE
       instr(lower(runtime || ' ' || vendor || ' ' || name), lower(?3))))
  AND (?4 = '' OR dtype = ?4)
  AND (?5 = 0 OR steps = ?5)
  ORDER BY program, sizes, dtype, steps, runtime, device

--@DB_RANKED
SELECT c.expr, t.id, c.tunables, t.median_ns * 1e-9 FROM trial t
  JOIN candidate c ON c.id = t.candidate
  WHERE t.problem = ?1 AND t.device = ?2 AND t.status = 'ok'
  AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = t.id)
  ORDER BY t.median_ns, t.started, t.id

--@DB_KERNELS
SELECT p.name, p.text, b.sizes, d.name, d.runtime, d.arch, c.tunables,
  t.median_ns * 1e-9, b.id, d.id, c.expr, t.id, ifnull(u.source, ''), b.dtype,
  b.steps FROM
  (SELECT id, row_number() OVER (PARTITION BY problem, device
    ORDER BY NOT won, ns, id) AS place FROM
   (SELECT t.id AS id, t.problem AS problem, t.device AS device,
     t.median_ns AS ns, w.trial IS NOT NULL AS won, row_number() OVER (PARTITION BY
      t.problem, t.device, c.expr ORDER BY w.trial IS NULL, t.median_ns, t.id)
      AS turn
    FROM verified v JOIN trial t ON t.id = v.trial
     JOIN candidate c ON c.id = t.candidate LEFT JOIN winner w ON w.trial = t.id)
   WHERE turn = 1) k
  JOIN trial t ON t.id = k.id JOIN candidate c ON c.id = t.candidate
  JOIN problem b ON b.id = t.problem JOIN program p ON p.id = b.program
  JOIN device d ON d.id = t.device LEFT JOIN build u ON u.id = t.build
  WHERE k.place <= ?4
  AND (?1 = '' OR $BY_PROGRAM)
  AND (?2 = '' OR b.sizes = ?2)
  AND (?3 = '' OR instr(lower(d.runtime || ' ' || d.vendor || ' ' ||
       d.name), lower(?3)))
  AND (?5 = '' OR b.dtype = ?5) AND (?6 = 0 OR b.steps = ?6)
  ORDER BY p.name, p.id, b.sizes, d.runtime, d.name, d.id, k.place

--@DB_SEED_SOURCES
SELECT b.id, d.id, d.id = me.id,
  d.runtime = me.runtime AND d.arch = me.arch AND d.arch <> '',
  mine.sizes, b.sizes, c.expr, c.tunables, t.median_ns * 1e-9
  FROM problem mine JOIN problem b ON b.program = mine.program
  JOIN device me JOIN device d
  JOIN winner w ON w.problem = b.id AND w.device = d.id
  JOIN trial t ON t.id = w.trial JOIN candidate c ON c.id = t.candidate
  WHERE mine.id = ?1 AND me.id = ?2 AND NOT (b.id = mine.id AND d.id = me.id)

--@DB_DEVICE
SELECT name, vendor, runtime, arch, compute_units, simd_width,
  max_group_size, local_bytes, global_bytes FROM device WHERE id = ?

--@DB_EXPLORED
SELECT p.name, b.sizes, d.name, d.runtime, b.id, d.id, count(DISTINCT c.expr),
  count(*), sum(t.status = 'ok'), b.dtype, b.steps
  FROM trial t JOIN candidate c ON c.id = t.candidate
  JOIN problem b ON b.id = t.problem JOIN program p ON p.id = b.program
  JOIN device d ON d.id = t.device
  WHERE (?1 = '' OR $BY_PROGRAM)
  AND (?2 = '' OR b.sizes = ?2)
  AND (?3 = '' OR instr(lower(d.runtime || ' ' || d.vendor || ' ' ||
       d.name), lower(?3)))
  AND (?4 = '' OR b.dtype = ?4) AND (?5 = 0 OR b.steps = ?5)
  GROUP BY b.id, d.id ORDER BY p.name, b.sizes, b.dtype, b.steps,
  d.runtime, d.name

--@ The first-found first: see version 4 in schema.sql.
--@DB_PARENTS
SELECT parent, rule, position, args FROM deriv WHERE child = ?
  ORDER BY depth, later, parent, rule, position, args

--@DB_IS_ROOT
SELECT 1 FROM problem WHERE root = ? LIMIT 1

--@DB_MACROS_OF
SELECT child, macro, position, steps, depth FROM macro_use
  WHERE parent = ?

--@ ?1, ?2: a problem and a device, or NULL. A candidate is as fast as in the newest final benchmark
--@ that it was in, as for 'best'; else by its fastest trial. What an expression was made by is
--@ found on its way back to the root.
--@DB_FAMILIES
WITH RECURSIVE timed(problem, device, candidate, ns, trials) AS MATERIALIZED (
  SELECT t.problem, t.device, t.candidate, min(t.median_ns), count(*) FROM trial t
  WHERE (?1 IS NULL OR t.problem = ?1) AND (?2 IS NULL OR t.device = ?2)
  AND t.median_ns > 0 AND (t.status = 'slow' OR t.status = 'ok'
   AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = t.id)) GROUP BY 1, 2, 3),
  last(problem, device, candidate, ns, newest) AS MATERIALIZED (
  SELECT f.problem, f.device, t.candidate, f.median_ns, max(s.started || s.id)
  FROM finalist f JOIN trial t ON t.id = f.trial JOIN session s ON s.id = f.session
  GROUP BY 1, 2, 3),
  tried(problem, device, expr, ns, trials) AS MATERIALIZED (
  SELECT m.problem, m.device, c.expr, min(coalesce(l.ns, m.ns)), sum(m.trials)
  FROM timed m JOIN candidate c ON c.id = m.candidate LEFT JOIN last l
  ON l.problem = m.problem AND l.device = m.device AND l.candidate = m.candidate
  GROUP BY 1, 2, 3),
  chain(expr, node, back) AS (SELECT DISTINCT expr, expr, 0 FROM tried UNION ALL
  SELECT c.expr, f.parent, c.back + 1 FROM chain c
  JOIN first_deriv f ON f.child = c.node WHERE c.back < 1000),
  used(expr, macro) AS MATERIALIZED (SELECT DISTINCT a.expr, m.macro FROM chain a
  JOIN macro_use m ON m.parent = a.node AND m.depth = 0
  JOIN chain b ON b.expr = a.expr AND b.node = m.child
  AND a.back - b.back = m.steps)
  SELECT p.name AS program, b.sizes, b.dtype, d.name AS device, d.runtime,
  coalesce(u.macro, '') AS family, 1.0 * b.points / min(t.ns) AS gpts,
  1.0 * b.bytes / min(t.ns) AS gbs,
  100.0 * b.bytes / min(t.ns) / $CEILING AS copy_percent,
  min(t.ns) * 1e-6 AS median_ms, sum(t.trials) AS trials, count(*) AS expressions,
  t.expr AS expr
  FROM tried t LEFT JOIN used u ON u.expr = t.expr
  JOIN problem b ON b.id = t.problem JOIN program p ON p.id = b.program
  JOIN device d ON d.id = t.device GROUP BY t.problem, t.device, u.macro
  ORDER BY p.name, b.sizes, b.dtype, d.runtime, d.name, min(t.ns)

--@DB_TRIED
SELECT c.expr, t.id, c.tunables, t.reason, t.status,
  ifnull(t.median_ns, 0) * 1e-9, t.phase,
  ifnull(t.compile_s, 0) + ifnull(t.check_s, 0) + ifnull(t.measure_s, 0)
  FROM trial t JOIN candidate c ON c.id = t.candidate WHERE t.problem = ? AND t.device = ?
  ORDER BY t.started, t.rowid

--@DB_FAILURES
SELECT status, reason, count FROM failures
  WHERE problem_id = ? AND device_id = ? ORDER BY count DESC, status, reason

--@DB_FINALISTS
SELECT place, trial, median_ns * 1e-9, low_ns * 1e-9, high_ns * 1e-9, tied
  FROM finalist WHERE problem = ?1 AND device = ?2 AND session =
  (SELECT s.id FROM finalist f JOIN session s ON s.id = f.session
   WHERE f.problem = ?1 AND f.device = ?2 ORDER BY s.started DESC, s.id DESC
   LIMIT 1) ORDER BY place

--@DB_REACH
SELECT what, reason, count FROM reach WHERE problem = ?1
  AND device = ?2 AND session = (SELECT s.id FROM reach r
  JOIN session s ON s.id = r.session WHERE r.problem = ?1
  AND r.device = ?2 ORDER BY s.started DESC, s.id DESC LIMIT 1)
  ORDER BY CASE what WHEN 'terms' THEN 0 WHEN 'terms not followed' THEN
  1 WHEN 'expressions' THEN 2 WHEN 'tried' THEN 3 WHEN 'not tried' THEN
  4 ELSE 5 END, count DESC, reason

--@DB_CONFIGURATION
SELECT options FROM configuration WHERE expr = ?

--@DB_CONFIGURATIONS
SELECT problem_id, device_id, expr, options, trials, verified,
  ifnull(median_ns, 0) * 1e-9, ifnull(best_ns / median_ns, 0), best
  FROM configuration_result ORDER BY problem_id, device_id, expr

--@DB_RULES
SELECT rule, count(*) FROM deriv GROUP BY rule ORDER BY rule

--@DB_TEXT_PROGRAM
SELECT p.text, substr(p.id, 1, 12), ifnull(group_concat(DISTINCT b.dtype), ''),
  ifnull(max(b.steps), 1)
  FROM program p LEFT JOIN problem b ON b.program = p.id
  WHERE $BY_PROGRAM GROUP BY p.id HAVING (?2 = '' OR sum(b.dtype = ?2))
  AND (?3 = 0 OR ifnull(max(b.steps), 1) = ?3) ORDER BY p.id

--@DB_FIND_EXPR
SELECT id FROM expr WHERE $BY_ID ORDER BY id LIMIT 8

--@DB_FIND_TRIAL
SELECT id FROM trial WHERE $BY_ID ORDER BY id LIMIT 8

--@DB_FIND_PROGRAM
SELECT id FROM program WHERE $BY_ID ORDER BY id LIMIT 8

--@DB_TEXT_EXPR
SELECT CAST(sqlar_uncompress(text, bytes) AS TEXT) FROM expr WHERE bytes > 0
  AND id = ?1

--@DB_TEXT_SOURCE
SELECT CAST(sqlar_uncompress(s.text, s.bytes) AS TEXT) FROM trial t JOIN build b
  ON b.id = t.build JOIN source s ON s.id = b.source AND s.text IS NOT NULL
  WHERE t.id = ?1

--@DB_TEXT_LOG
SELECT CAST(sqlar_uncompress(b.log, b.log_bytes) AS TEXT) FROM trial t
  JOIN build b ON b.id = t.build WHERE t.id = ?1

--@DB_CSV_BEST
SELECT k.*, p.dtype FROM best_kernel k JOIN problem p ON p.id = k.problem_id
  ORDER BY k.program, k.sizes, p.dtype, k.steps, k.runtime, k.device

--@DB_CSV_TRIALS
SELECT s.*, p.dtype FROM trials s JOIN problem p
  ON p.id = s.problem_id ORDER BY s.started, s.trial

--@DB_CSV_TIMINGS
SELECT s.program, s.sizes, s.device, s.expr, s.tunables, s.status,
  s.trial, m.idx, m.ns, p.dtype FROM trials s JOIN timing m ON m.trial = s.trial
  JOIN problem p ON p.id = s.problem_id
  ORDER BY s.started, s.trial, m.idx

--@DB_TOP
SELECT t.id, c.id, c.expr, c.tunables, t.median_ns * 1e-9,
  b.points / t.median_ns, b.bytes / t.median_ns,
  b.bytes / t.median_ns / $CEILING, $LEVEL = 'cache',
  (SELECT (q.started, q.id) > (s.started, s.id) FROM finalist f
    JOIN session s ON s.id = f.session JOIN session q ON q.id = t.session
    WHERE f.problem = t.problem AND f.device = t.device
    ORDER BY s.started DESC, s.id DESC LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM trial x WHERE x.candidate = t.candidate
    AND x.problem = t.problem AND x.device = t.device
    AND x.phase = 'final_benchmark' AND x.status = 'lost')
  FROM trial t JOIN candidate c ON c.id = t.candidate
  JOIN problem b ON b.id = t.problem JOIN device d ON d.id = t.device
  WHERE t.problem = ? AND t.device = ? AND t.status = 'ok'
  AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = t.id)
  ORDER BY t.median_ns, t.id

--@DB_COUNTS
SELECT status, count(*) FROM trial WHERE problem = ? AND device = ?
  GROUP BY status

--@DB_COST
SELECT total(compile_s), total(check_s), total(measure_s) FROM trial
  WHERE problem = ? AND device = ? AND session = ?

--@DB_DEVICES
SELECT id, runtime, name, vendor, arch, compute_units, ifnull(copy_gbs, 0),
  ifnull(copy_at, '') FROM device
  WHERE ?1 = '' OR instr(lower(runtime || ' ' || vendor || ' ' || name),
  lower(?1)) ORDER BY runtime, name, id

--@DB_PROBLEMS
SELECT b.id, p.name, p.text, b.sizes, b.params, b.dtype, b.points,
  ifnull(b.bytes, 0), p.id, b.steps FROM problem b JOIN program p ON p.id = b.program
  WHERE (?1 = '' OR $BY_PROGRAM)
  AND (?2 = '' OR b.sizes = ?2) AND (?3 = '' OR b.dtype = ?3)
  AND (?4 = 0 OR b.steps = ?4)
  ORDER BY p.name, b.points / b.steps, b.sizes, b.dtype, b.steps, b.id

--@DB_KERNEL
SELECT c.expr, t.session, c.tunables, ifnull(b.flags, ''),
  b.registers, b.spill_bytes, b.local_bytes,
  EXISTS (SELECT 1 FROM verified WHERE trial = t.id), c.id,
  ifnull((SELECT arch FROM device WHERE id = t.device), '')
  FROM trial t JOIN candidate c ON c.id = t.candidate
  LEFT JOIN build b ON b.id = t.build WHERE t.id = ?
