--@ The tables of a report (docs/report.md): the rows of each are objects of a JSON document, the names of
--@ columns their keys. A column 'json_NAME' holds JSON, whose value becomes NAME. All take the same
--@ parameters: a program, sizes as a JSON object, a device, a precision, a number of steps.

--@ Problems and devices that have trials.
--@define WANTED
WITH wanted(problem, device) AS MATERIALIZED (SELECT b.id, d.id FROM problem b
  JOIN program p ON p.id = b.program JOIN device d
  WHERE (?1 = '' OR $BY_PROGRAM)
  AND NOT EXISTS (SELECT 1 FROM json_each(iif(?2 = '', '{}', ?2)) w WHERE w.value IS NOT
    (SELECT s.value FROM json_each(iif(json_valid(b.sizes), b.sizes, '{}')) s
     WHERE s.key = w.key AND s.type = 'integer'))
  AND (?3 = '' OR instr(lower(d.runtime || ' ' || d.vendor || ' ' || d.name), lower(?3)))
  AND (?4 = '' OR b.dtype = ?4) AND (?5 = 0 OR b.steps = ?5)
  AND EXISTS (SELECT 1 FROM trial t WHERE t.problem = b.id AND t.device = d.id))

--@ 'argument' is what chooses the device by --device on any machine.
--@DB_REPORT_DEVICES
$WANTED
SELECT id, iif(name = '', runtime, name || ' (' || runtime || ')') AS label, name, runtime,
  vendor, arch, CAST(compute_units AS INTEGER) AS compute_units,
  CAST(copy_gbs AS REAL) AS copy_gbs, copy_at, CAST(cache_bytes AS INTEGER) AS cache_bytes,
  CAST(cache_gbs AS REAL) AS cache_gbs,
  (SELECT max(g.mhz) FROM finalist f JOIN timing g ON g.trial = f.trial WHERE f.device = d.id
    AND g.mhz BETWEEN 1 AND 10000) AS mhz,
  iif(name = '' OR EXISTS (SELECT 1 FROM device o WHERE o.id <> d.id AND
      instr(lower(o.runtime || ' ' || o.vendor || ' ' || o.name), lower(d.name))),
    runtime || ' ' || vendor || ' ' || name, name) AS argument
  FROM device d WHERE id IN (SELECT device FROM wanted) ORDER BY runtime, name, id

--@ The title has the precision where another problem of the name has another one.
--@DB_REPORT_PROBLEMS
$WANTED
SELECT b.id, p.name || iif(min(b.dtype) OVER (PARTITION BY p.name) <>
    max(b.dtype) OVER (PARTITION BY p.name), ' of ' || b.dtype, '')
    || iif(b.steps > 1, ', ' || b.steps || ' steps', '') AS title,
  p.name AS program, p.id AS program_id, b.sizes AS json_sizes, b.dtype,
  CAST(b.steps AS INTEGER) AS steps, CAST(b.points AS INTEGER) AS points,
  nullif(CAST(b.bytes AS INTEGER), 0) AS bytes, p.text
  FROM problem b JOIN program p ON p.id = b.program
  WHERE b.id IN (SELECT problem FROM wanted)
  ORDER BY p.name, b.points / b.steps, b.sizes, b.dtype, b.steps, b.id

--@ A session without an end has lasted until its last trial ended.
--@DB_REPORT_SESSIONS
$WANTED
SELECT s.id, s.argv, s.seed, s.budget, s.versions, s.host, s.started, s.ended, s.end_reason,
  max(0, ifnull(julianday(ifnull(s.ended, u.last)) - julianday(s.started), 0)) * 86400
    AS seconds, u.trials
  FROM (SELECT session, count(*) AS trials, max(ended) AS last FROM trial NOT INDEXED
    WHERE (problem, device) IN wanted GROUP BY session) u
  JOIN session s ON s.id = u.session ORDER BY s.started, s.id

--@DB_REPORT_EXPLORED
$WANTED
SELECT problem, device, session, count(*) AS trials,
  total(iif(compile_s > 0, compile_s, 0)) AS compile_s,
  total(iif(check_s > 0, check_s, 0)) AS check_s,
  total(iif(measure_s > 0, measure_s, 0)) AS measure_s
  FROM trial NOT INDEXED WHERE (problem, device) IN wanted GROUP BY problem, device, session

--@ Of the verified trials those that were faster than all before in their session, and some 300
--@ others of a problem and device: each as the seconds since its session began, those of a launch,
--@ and the number of the trial in its session.
--@DB_REPORT_PROGRESS
$WANTED,
timed AS (SELECT problem, device, session, ended, median_ns AS ns, count, status,
  row_number() OVER (PARTITION BY problem, device, session ORDER BY ended) AS number
  FROM trial NOT INDEXED JOIN (SELECT problem, device, count(*) AS count FROM trial
    WHERE status = 'ok' GROUP BY problem, device) USING (problem, device)
  WHERE (problem, device) IN wanted AND phase IN ('search', 'seed')),
ranked AS (SELECT *, row_number() OVER found AS place,
  min(ns) OVER (found ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS best
  FROM timed WHERE status = 'ok' AND ns > 0 AND ns < 1e18
  WINDOW found AS (PARTITION BY problem, device, session ORDER BY ended))
SELECT r.problem, r.device, r.session, json_group_array(json_array(
    round(max(0, ifnull(julianday(r.ended) - julianday(s.started), 0)) * 86400, 3),
    r.ns * 1e-9, r.number)) AS json_trials
  FROM ranked r JOIN session s ON s.id = r.session
  WHERE place % ((count + 299) / 300) = 0 OR best IS NULL OR ns < best
  GROUP BY r.problem, r.device, r.session

--@DB_REPORT_CAUSES
$WANTED
SELECT c.*, s.meaning FROM (SELECT problem, device, status, count(*) AS trials FROM trial
    WHERE (problem, device) IN wanted GROUP BY problem, device, status) c
  LEFT JOIN status s ON s.name = c.status ORDER BY c.status

--@ The hundred most frequent ones of each problem and device, and how many there are.
--@DB_REPORT_REASONS
$WANTED
SELECT problem, device, status, reason, trials, reasons FROM (
  SELECT problem_id AS problem, device_id AS device, status, reason, count AS trials,
    count(*) OVER (PARTITION BY problem_id, device_id) AS reasons,
    row_number() OVER (PARTITION BY problem_id, device_id
      ORDER BY count DESC, status, reason) AS place
    FROM failures WHERE (problem_id, device_id) IN wanted)
  WHERE place <= 100 ORDER BY problem, device, place

--@ The newest final benchmark of each problem and device.
--@DB_REPORT_FINALS
$WANTED
SELECT f.problem, f.device, CAST(f.place AS INTEGER) AS place, f.median_ns * 1e-9 AS seconds,
  f.low_ns * 1e-9 AS low, f.high_ns * 1e-9 AS high, CAST(f.tied AS INTEGER) AS tied, f.trial,
  c.expr, c.tunables AS json_tunables
  FROM finalist f JOIN trial t ON t.id = f.trial JOIN candidate c ON c.id = t.candidate
  WHERE (f.problem, f.device) IN wanted AND f.low_ns > 0 AND f.low_ns <= f.high_ns
  AND f.high_ns < 1e18 AND f.median_ns > 0 AND f.session =
   (SELECT s.id FROM finalist n JOIN session s ON s.id = n.session
    WHERE n.problem = f.problem AND n.device = f.device
    ORDER BY s.started DESC, s.id DESC LIMIT 1)
  ORDER BY f.problem, f.device, f.place

--@ The hundred newest.
--@DB_REPORT_EVENTS
$WANTED
SELECT device, at, kind, iif(kind = 'interference' AND json_valid(text),
    ifnull(json_extract(text, '$.words'), text), text) AS text
  FROM device_event WHERE device IN (SELECT device FROM wanted)
  ORDER BY at DESC, id LIMIT 100

--@ Expressions that were tried for a problem on a device.
--@DB_EXPRS
SELECT c.expr, p.options, count(*),
  ifnull(min(iif(t.status = 'ok' AND t.median_ns > 0, t.median_ns, NULL)), 0) * 1e-9
  FROM trial t JOIN candidate c ON c.id = t.candidate LEFT JOIN configuration p ON p.expr = c.expr
  WHERE t.problem = ? AND t.device = ? GROUP BY c.expr

--@DB_SAMPLES
SELECT c.expr, p.options, c.tunables, s.median_ns * 1e-9
  FROM (SELECT candidate, median_ns, row_number() OVER (ORDER BY median_ns) AS place,
    count(*) OVER () AS count FROM trial WHERE problem = ? AND device = ? AND status = 'ok'
    AND phase IN ('search', 'seed') AND median_ns > 0 AND median_ns < 1e18) s
  JOIN candidate c ON c.id = s.candidate LEFT JOIN configuration p ON p.expr = c.expr
  WHERE s.place <= 500 OR s.place % max(1, (s.count + 1) / 500) = 0 ORDER BY s.median_ns

--@ Seeds do not count: they come from other problems.
--@DB_FIRST
SELECT t.id, t.median_ns * 1e-9, (SELECT json_group_array(g.ns * 1e-9) FROM timing g
    WHERE g.trial = t.id AND g.ns > 0 AND ifnull(g.throttled, 0) <= 0),
  t.phase = 'final_benchmark' AS final, p.options
  FROM (SELECT DISTINCT candidate FROM (SELECT candidate, min(started || id) FROM trial
    WHERE problem = ?1 AND device = ?2 AND phase IN ('search', 'recheck') GROUP BY session)) f
  JOIN trial t ON t.candidate = f.candidate JOIN candidate c ON c.id = f.candidate
  LEFT JOIN configuration p ON p.expr = c.expr
  WHERE t.problem = ?1 AND t.device = ?2 AND t.status IN ('ok', 'slow') AND t.median_ns > 0
  ORDER BY final DESC, t.started DESC, t.id LIMIT 64

--@ The samples of the naive kernel in the newest final benchmark: all others that were timed there
--@ have a place. None if the naive kernel has one, or took no part.
--@DB_NAIVE
SELECT g.ns * 1e-9, ifnull(g.throttled, 0), t.id FROM trial t JOIN timing g ON g.trial = t.id
  WHERE t.problem = ?1 AND t.device = ?2 AND t.phase = 'final_benchmark' AND t.status = 'ok'
  AND t.median_ns > 0 AND g.ns > 0 AND t.id NOT IN (SELECT trial FROM finalist)
  AND t.session = (SELECT s.id FROM finalist f JOIN session s ON s.id = f.session
    WHERE f.problem = ?1 AND f.device = ?2 ORDER BY s.started DESC, s.id DESC LIMIT 1)
  ORDER BY t.id, g.idx LIMIT 4096

--@ ?1: a session, or a trial of the session.
--@DB_INTERFERENCE
SELECT text FROM device_event WHERE kind = 'interference' AND device = ?2
  AND session = ifnull((SELECT session FROM trial WHERE id = ?1), ?1)
  ORDER BY at DESC, id LIMIT 1
