--@ The tables and views, as the steps that lead from one version of a file to the next: step N takes
--@ it from version N to N + 1. Only ever appended to. docs/database-schema.md describes what they make in
--@ the end. The last step alone makes views: files that were written by older programs have some that
--@ it drops.

--@define DROP_VIEWS
DROP VIEW IF EXISTS best_kernel; DROP VIEW IF EXISTS winner;
DROP VIEW IF EXISTS fastest; DROP VIEW IF EXISTS failures;
DROP VIEW IF EXISTS tries; DROP VIEW IF EXISTS verified;
DROP VIEW IF EXISTS derivation; DROP VIEW IF EXISTS first_deriv;
DROP VIEW IF EXISTS option_result; DROP VIEW IF EXISTS point_result;
DROP VIEW IF EXISTS point_option; DROP VIEW IF EXISTS trials;
DROP VIEW IF EXISTS configuration_result; DROP VIEW IF EXISTS configuration_option;

--@ The guard of trials that have ended, before version 10.
--@define TRY_FINAL
CREATE TRIGGER try_final BEFORE UPDATE ON try WHEN OLD.status <> 'started'
BEGIN SELECT RAISE(ABORT, 'a try that has ended is not changed'); END;

--@0
CREATE TABLE device(
  id TEXT PRIMARY KEY,
  runtime TEXT NOT NULL, name TEXT NOT NULL, vendor TEXT NOT NULL, arch TEXT NOT NULL,
  compute_units INTEGER NOT NULL, simd_width INTEGER NOT NULL,
  max_group_size INTEGER NOT NULL, local_bytes INTEGER NOT NULL,
  global_bytes INTEGER NOT NULL,
  copy_gbs REAL, copy_at TEXT
) WITHOUT ROWID;

CREATE TABLE program(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX program_name ON program(name);

CREATE TABLE expr(
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL CHECK (level IN ('high', 'low')),
  size INTEGER NOT NULL, text TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE problem(
  id TEXT PRIMARY KEY,
  program TEXT NOT NULL REFERENCES program(id),
  root TEXT NOT NULL REFERENCES expr(id),
  sizes TEXT NOT NULL, params TEXT NOT NULL, dtype TEXT NOT NULL,
  points INTEGER NOT NULL, bytes INTEGER
) WITHOUT ROWID;
CREATE INDEX problem_program ON problem(program);
CREATE INDEX problem_root ON problem(root);

-- With a rowid: the first-found parent has the smallest.
CREATE TABLE deriv(
  child TEXT NOT NULL REFERENCES expr(id),
  parent TEXT NOT NULL REFERENCES expr(id),
  rule TEXT NOT NULL, position TEXT NOT NULL, args TEXT NOT NULL,
  UNIQUE(child, parent, rule, position, args)
);
CREATE INDEX deriv_parent ON deriv(parent);

CREATE TABLE candidate(
  id TEXT PRIMARY KEY,
  expr TEXT NOT NULL REFERENCES expr(id),
  tunables TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX candidate_expr ON candidate(expr);

CREATE TABLE session(
  id TEXT PRIMARY KEY,
  argv TEXT NOT NULL, seed TEXT NOT NULL, budget TEXT NOT NULL,
  versions TEXT NOT NULL,
  host TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
  started TEXT NOT NULL, ended TEXT, end_reason TEXT
) WITHOUT ROWID;

CREATE TABLE status(name TEXT PRIMARY KEY, meaning TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO status VALUES
  ('started', 'in hand of a running session'),
  ('ok', 'verified and timed in full'),
  ('slow', 'no wrong value, but too slow to be timed in full'),
  ('constraint', 'the tunables break a constraint of the device'),
  ('codegen', 'no source could be made of the expression'),
  ('compile_error', 'the compiler refused the source'),
  ('compile_timeout', 'the compiler took too long'),
  ('resource', 'too much memory, local memory or too large a group'),
  ('launch_error', 'the runtime refused the launch'),
  ('run_error', 'the runtime reported a failure while the kernel ran'),
  ('run_timeout', 'the kernel ran too long and was killed'),
  ('crash', 'the kernel ended its process'),
  ('wrong', 'values beyond the error bound'),
  ('nonfinite', 'infinite values or values that are no numbers'),
  ('lost', 'its session ended before it did');

CREATE TABLE build(
  id TEXT PRIMARY KEY,
  source_hash TEXT NOT NULL, source TEXT NOT NULL,
  compiler TEXT NOT NULL, driver TEXT NOT NULL, flags TEXT NOT NULL,
  registers INTEGER, spill_bytes INTEGER, local_bytes INTEGER, max_group_size INTEGER,
  log TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE try(
  id TEXT PRIMARY KEY,
  candidate TEXT NOT NULL REFERENCES candidate(id),
  problem TEXT NOT NULL REFERENCES problem(id),
  device TEXT NOT NULL REFERENCES device(id),
  session TEXT NOT NULL REFERENCES session(id),
  status TEXT NOT NULL REFERENCES status(name),
  reason TEXT NOT NULL,
  build TEXT REFERENCES build(id),
  median_ns REAL,
  started TEXT NOT NULL, ended TEXT
);
CREATE INDEX try_problem ON try(problem, device, status);
CREATE INDEX try_candidate ON try(candidate);
CREATE INDEX try_started ON try(session) WHERE status = 'started';
$TRY_FINAL
CREATE TABLE check_result(
  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('small', 'full')),
  max_error REAL, bound REAL,
  bad INTEGER NOT NULL, first_bad INTEGER,
  PRIMARY KEY(try, idx)
) WITHOUT ROWID;

CREATE TABLE timing(
  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL, ns INTEGER NOT NULL,
  PRIMARY KEY(try, idx)
) WITHOUT ROWID;

--@ Macros: each leads from one term to another by rewrites that have rows of their own.
--@ One is part of a derivation if both terms are, so many steps apart.
--@1
CREATE TABLE macro_use(
  child TEXT NOT NULL REFERENCES expr(id),
  parent TEXT NOT NULL REFERENCES expr(id),
  macro TEXT NOT NULL, position TEXT NOT NULL,
  steps INTEGER NOT NULL, depth INTEGER NOT NULL,
  UNIQUE(child, parent, macro, steps)
);
CREATE INDEX macro_parent ON macro_use(parent);

--@ What a session could reach, and why not all of it was tried.
--@2
CREATE TABLE reach(
  session TEXT NOT NULL REFERENCES session(id),
  problem TEXT NOT NULL REFERENCES problem(id),
  device TEXT NOT NULL REFERENCES device(id),
  what TEXT NOT NULL CHECK (what IN ('terms', 'terms not followed', 'expressions',
    'tried', 'not tried', 'not lowered')),
  reason TEXT NOT NULL, count INTEGER NOT NULL,
  UNIQUE(session, what, reason)
);
CREATE INDEX reach_problem ON reach(problem, device);

--@ Version 4: devices that differ in size are two, texts are packed, sources stand once, the
--@ shown parent of an expression does not hang on the order of rows, and a try says where, when
--@ and at what cost it was made.
--@
--@ 'depth' and 'later' order an expression's parents: the first that was found has the depth of the
--@ expression in its derivation and 'later' 0, all others come after it. A parent has itself a parent
--@ of lesser depth, or is a root: the way back never turns in a circle, also where the rows of several
--@ files are put together.
--@3
$DROP_VIEWS
DROP TRIGGER try_final;

CREATE TABLE device_ids AS SELECT id AS old, lift_device_id(runtime, vendor, name,
  arch, compute_units, simd_width, local_bytes) AS new FROM device;
UPDATE try SET device = (SELECT new FROM device_ids WHERE old = device);
UPDATE reach SET device = (SELECT new FROM device_ids WHERE old = device);
UPDATE device SET id = (SELECT new FROM device_ids WHERE old = id);
DROP TABLE device_ids;
INSERT INTO status VALUES
  ('overflow', 'it wrote outside its buffers, or into its inputs'),
  ('nondeterministic', 'right once, wrong on the same or another input'),
  ('device_lost', 'the device failed its health check afterwards');

-- Rows of a kilobyte and more lie closer together in a table with row numbers.
CREATE TABLE expr4(
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL CHECK (level IN ('high', 'low')),
  size INTEGER NOT NULL, bytes INTEGER NOT NULL, text NOT NULL
);
INSERT INTO expr4 SELECT id, level, size, length(CAST(text AS BLOB)), lift_pack(text)
  FROM expr;

CREATE TABLE source(
  id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, text
);
INSERT OR IGNORE INTO source SELECT source_hash, length(CAST(source AS BLOB)),
  lift_pack(source) FROM build ORDER BY id;

CREATE TABLE build4(
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL REFERENCES source(id),
  compiler TEXT NOT NULL, driver TEXT NOT NULL, flags TEXT NOT NULL,
  registers INTEGER, spill_bytes INTEGER, local_bytes INTEGER, max_group_size INTEGER,
  log_bytes INTEGER NOT NULL, log
) WITHOUT ROWID;
INSERT INTO build4 SELECT id, source_hash, compiler, driver, flags, registers,
  spill_bytes, local_bytes, max_group_size, length(CAST(log AS BLOB)), lift_pack(log)
  FROM build;

CREATE TABLE deriv_first AS SELECT child, parent, min(rowid) AS found FROM deriv
  WHERE child NOT IN (SELECT root FROM problem) GROUP BY child;
CREATE INDEX deriv_first_parent ON deriv_first(parent);
CREATE INDEX deriv_first_child ON deriv_first(child);

CREATE TABLE deriv_depth(node TEXT PRIMARY KEY, depth INTEGER);
INSERT INTO deriv_depth WITH RECURSIVE tree(node, depth) AS (
  SELECT id, 0 FROM expr WHERE id NOT IN (SELECT child FROM deriv_first)
  UNION ALL
  SELECT f.child, t.depth + 1 FROM tree t JOIN deriv_first f ON f.parent = t.node)
SELECT node, depth FROM tree;

CREATE TABLE deriv4(
  child TEXT NOT NULL REFERENCES expr(id),
  parent TEXT NOT NULL REFERENCES expr(id),
  rule TEXT NOT NULL, position TEXT NOT NULL, args TEXT NOT NULL,
  depth INTEGER NOT NULL, later INTEGER NOT NULL,
  PRIMARY KEY(child, parent, rule, position, args)
) WITHOUT ROWID;
INSERT INTO deriv4 SELECT d.child, d.parent, d.rule, d.position, d.args,
  max(ifnull(p.depth, 0) + 1, ifnull(c.depth, 1)), d.rowid IS NOT f.found
  FROM deriv d LEFT JOIN deriv_first f ON f.child = d.child
    LEFT JOIN deriv_depth p ON p.node = d.parent
    LEFT JOIN deriv_depth c ON c.node = d.child;
DROP TABLE deriv_first; DROP TABLE deriv_depth;

CREATE TABLE macro_use4(
  child TEXT NOT NULL REFERENCES expr(id),
  parent TEXT NOT NULL REFERENCES expr(id),
  macro TEXT NOT NULL, position TEXT NOT NULL,
  steps INTEGER NOT NULL, depth INTEGER NOT NULL,
  PRIMARY KEY(child, parent, macro, steps)
) WITHOUT ROWID;
INSERT INTO macro_use4 SELECT child, parent, macro, position, steps, depth
  FROM macro_use;

CREATE TABLE reach4(
  session TEXT NOT NULL REFERENCES session(id),
  problem TEXT NOT NULL REFERENCES problem(id),
  device TEXT NOT NULL REFERENCES device(id),
  what TEXT NOT NULL CHECK (what IN ('terms', 'terms not followed', 'expressions',
    'tried', 'not tried', 'not lowered')),
  reason TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(session, problem, device, what, reason)
) WITHOUT ROWID;
INSERT INTO reach4 SELECT session, problem, device, what, reason, count FROM reach;

CREATE TABLE check4(
  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('small', 'full', 'second')),
  max_error REAL, bound REAL,
  bad INTEGER NOT NULL, first_bad INTEGER,
  PRIMARY KEY(try, idx)
) WITHOUT ROWID;
INSERT INTO check4 SELECT try, idx, kind, max_error, bound, bad, first_bad
  FROM check_result;
DROP TABLE expr; ALTER TABLE expr4 RENAME TO expr;
DROP TABLE build; ALTER TABLE build4 RENAME TO build;
CREATE INDEX build_source ON build(source);
DROP TABLE deriv; ALTER TABLE deriv4 RENAME TO deriv;
CREATE INDEX deriv_parent ON deriv(parent);
DROP TABLE macro_use; ALTER TABLE macro_use4 RENAME TO macro_use;
CREATE INDEX macro_parent ON macro_use(parent);
DROP TABLE reach; ALTER TABLE reach4 RENAME TO reach;
CREATE INDEX reach_problem ON reach(problem, device);
DROP TABLE check_result; ALTER TABLE check4 RENAME TO check_result;

CREATE TABLE env(
  id TEXT PRIMARY KEY,
  os TEXT NOT NULL, kernel TEXT NOT NULL, driver TEXT NOT NULL,
  runtime TEXT NOT NULL, compiler TEXT NOT NULL, tool TEXT NOT NULL,
  unit TEXT NOT NULL, settings TEXT NOT NULL
) WITHOUT ROWID;
ALTER TABLE try ADD COLUMN phase TEXT NOT NULL DEFAULT 'search'
  CHECK (phase IN ('search', 'seed', 'final', 'recheck'));
ALTER TABLE try ADD COLUMN env TEXT REFERENCES env(id);
ALTER TABLE try ADD COLUMN launched TEXT;
ALTER TABLE try ADD COLUMN compile_s REAL;
ALTER TABLE try ADD COLUMN check_s REAL;
ALTER TABLE try ADD COLUMN measure_s REAL;
CREATE INDEX try_rank ON try(problem, device, median_ns) WHERE status = 'ok';
$TRY_FINAL
ALTER TABLE timing ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
ALTER TABLE timing ADD COLUMN mhz REAL;
ALTER TABLE timing ADD COLUMN throttled INTEGER;

CREATE TABLE finalist(
  session TEXT NOT NULL REFERENCES session(id),
  problem TEXT NOT NULL REFERENCES problem(id),
  device TEXT NOT NULL REFERENCES device(id),
  place INTEGER NOT NULL,
  try TEXT NOT NULL REFERENCES try(id),
  median_ns REAL NOT NULL, low_ns REAL NOT NULL, high_ns REAL NOT NULL,
  tied INTEGER NOT NULL,
  PRIMARY KEY(session, problem, device, place)
) WITHOUT ROWID;
CREATE INDEX finalist_problem ON finalist(problem, device);

CREATE TABLE device_event(
  id TEXT PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device(id),
  session TEXT NOT NULL REFERENCES session(id),
  at TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE merge_log(
  at TEXT NOT NULL, source TEXT NOT NULL, version INTEGER NOT NULL,
  tries INTEGER NOT NULL, rows INTEGER NOT NULL
);

--@ Version 5: tries and checks on a slab of the grid.
--@4
$DROP_VIEWS
INSERT INTO status VALUES ('slab', 'no wrong value on a slab of the grid, but '
  || 'slower there than the best kernel; the time is what the whole grid would take');

CREATE TABLE check5(
  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('small', 'slab', 'full', 'second')),
  max_error REAL, bound REAL,
  bad INTEGER NOT NULL, first_bad INTEGER,
  PRIMARY KEY(try, idx)
) WITHOUT ROWID;
INSERT INTO check5 SELECT try, idx, kind, max_error, bound, bad, first_bad
  FROM check_result;
DROP TABLE check_result; ALTER TABLE check5 RENAME TO check_result;

--@ Version 6: which option of each decision an expression is.
--@5
$DROP_VIEWS
CREATE TABLE point(
  expr TEXT PRIMARY KEY REFERENCES expr(id), options TEXT NOT NULL
) WITHOUT ROWID;

--@ Version 7: how many steps of the time loop a launch computes.
--@6
$DROP_VIEWS
ALTER TABLE problem ADD COLUMN steps INTEGER NOT NULL DEFAULT 1;

--@ Versions 8 and 9: views alone, which are replaced below: the winner of a final benchmark before
--@ what it had no time for; a fast trial of a session without one, timed again before a final one.
--@7
$DROP_VIEWS

--@8
$DROP_VIEWS

--@ Version 10: the field's words: trial, configuration, final benchmark, share of the copy bandwidth.
--@9
$DROP_VIEWS
DROP TRIGGER try_final;
ALTER TABLE try RENAME TO trial; -- and what refers to it
CREATE TABLE trial10(
  id TEXT PRIMARY KEY,
  candidate TEXT NOT NULL REFERENCES candidate(id),
  problem TEXT NOT NULL REFERENCES problem(id),
  device TEXT NOT NULL REFERENCES device(id),
  session TEXT NOT NULL REFERENCES session(id),
  status TEXT NOT NULL REFERENCES status(name),
  reason TEXT NOT NULL,
  build TEXT REFERENCES build(id),
  median_ns REAL,
  started TEXT NOT NULL, ended TEXT,
  phase TEXT NOT NULL DEFAULT 'search'
    CHECK (phase IN ('search', 'seed', 'final_benchmark', 'recheck')),
  env TEXT REFERENCES env(id),
  launched TEXT, compile_s REAL, check_s REAL, measure_s REAL
);
INSERT INTO trial10(rowid, id, candidate, problem, device, session, status, reason, build,
    median_ns, started, ended, phase, env, launched, compile_s, check_s, measure_s)
  SELECT rowid, id, candidate, problem, device, session, status, reason, build, median_ns,
    started, ended, iif(phase = 'final', 'final_benchmark', phase), env, launched,
    compile_s, check_s, measure_s FROM trial ORDER BY rowid;
DROP TABLE trial;
ALTER TABLE trial10 RENAME TO trial;
CREATE INDEX trial_problem ON trial(problem, device, status);
CREATE INDEX trial_candidate ON trial(candidate);
CREATE INDEX trial_started ON trial(session) WHERE status = 'started';
CREATE INDEX trial_rank ON trial(problem, device, median_ns) WHERE status = 'ok';
ALTER TABLE check_result RENAME COLUMN try TO trial;
ALTER TABLE timing RENAME COLUMN try TO trial;
ALTER TABLE finalist RENAME COLUMN try TO trial;
ALTER TABLE merge_log RENAME COLUMN tries TO trials;
ALTER TABLE point RENAME TO configuration;
UPDATE device_event SET kind = iif(kind = 'roof', 'copy_bandwidth', 'naive')
  WHERE kind IN ('roof', 'plain');
UPDATE status SET meaning = (SELECT m.column2 FROM (VALUES
  ('started', 'a running session compiles, checks or times it'),
  ('compile_error', 'the compiler rejected the source'),
  ('launch_error', 'the runtime rejected the launch'),
  ('lost', 'its session ended before the trial did'),
  ('overflow', 'the kernel wrote outside its buffers, or into its inputs')) m
  WHERE m.column1 = name)
  WHERE name IN ('started', 'compile_error', 'launch_error', 'lost', 'overflow');
$TRIAL_ENDED

--@ Version 11: the copy bandwidth of data that stay in the last-level cache of a processor.
--@10
$DROP_VIEWS
ALTER TABLE device ADD COLUMN cache_bytes INTEGER;
ALTER TABLE device ADD COLUMN cache_gbs REAL;

-- 'fastest' is an index look-up for each problem and device, whatever the number of trials. The
-- first finalist of the newest final benchmark is best, unless a later session has tried a
-- candidate that is faster beyond doubt, and faster than all finalists were in the search. A session
-- without a final benchmark counts as later if the newest final benchmark's session did not time the
-- candidate again. Candidates whose own final benchmark was cut short do not count.
CREATE VIEW trials AS SELECT
  p.name AS program, b.sizes AS sizes, d.name AS device, d.runtime AS runtime,
  t.status AS status, t.reason AS reason, t.median_ns * 1e-6 AS median_ms,
  b.points / t.median_ns AS gpts, b.bytes / t.median_ns AS gbs,
  100 * b.bytes / t.median_ns / $CEILING AS copy_percent,
  c.tunables AS tunables, c.expr AS expr, t.id AS trial, t.candidate AS candidate,
  t.build AS build, t.session AS session, t.started AS started, t.ended AS ended,
  t.problem AS problem_id, b.program AS program_id, t.device AS device_id,
  t.phase AS phase, t.env AS env, b.steps AS steps, $LEVEL AS copy_level
FROM trial t JOIN candidate c ON c.id = t.candidate JOIN problem b ON b.id = t.problem
  JOIN program p ON p.id = b.program JOIN device d ON d.id = t.device;

CREATE VIEW verified AS SELECT t.id AS trial FROM trial t
WHERE t.status = 'ok' AND t.median_ns > 0
  AND EXISTS (SELECT 1 FROM check_result k WHERE k.trial = t.id AND k.kind = 'full')
  AND NOT EXISTS (SELECT 1 FROM check_result k WHERE k.trial = t.id AND k.bad > 0)
  AND NOT EXISTS (SELECT 1 FROM trial w WHERE w.candidate = t.candidate
    AND w.problem = t.problem AND w.device = t.device AND w.status IN
      ('wrong', 'nonfinite', 'overflow', 'nondeterministic'));

CREATE VIEW fastest AS SELECT b.id AS problem, d.id AS device,
  (SELECT t.id FROM trial t WHERE t.problem = b.id AND t.device = d.id
     AND t.status = 'ok' AND t.median_ns > 0
     AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = t.id)
   ORDER BY t.median_ns, t.id LIMIT 1) AS trial
FROM problem b CROSS JOIN device d;

CREATE VIEW winner AS SELECT f.problem AS problem, f.device AS device, ifnull(
  (SELECT ifnull((SELECT t.id FROM trial t JOIN session q ON q.id = t.session
       WHERE t.problem = n.problem AND t.device = n.device AND t.status = 'ok'
         AND t.median_ns > 0 AND t.median_ns < n.low_ns
         AND ((q.started, q.id) > (n.started, n.session)
           OR NOT EXISTS (
             SELECT 1 FROM finalist e WHERE e.session = q.id AND e.problem = n.problem
               AND e.device = n.device)
           AND NOT EXISTS (
             SELECT 1 FROM trial y WHERE y.candidate = t.candidate
               AND y.problem = n.problem AND y.device = n.device AND y.session = n.session))
         AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = t.id)
         AND NOT EXISTS (SELECT 1 FROM finalist o JOIN trial u ON u.id = o.trial
           JOIN trial w ON w.candidate = u.candidate AND w.problem = u.problem
             AND w.device = u.device AND w.status = 'ok'
           WHERE o.session = n.session AND o.problem = n.problem
             AND o.device = n.device AND w.median_ns <= t.median_ns)
         AND NOT EXISTS (SELECT 1 FROM trial x WHERE x.candidate = t.candidate
           AND x.problem = t.problem AND x.device = t.device
           AND x.phase = 'final_benchmark' AND x.status = 'lost')
       ORDER BY t.median_ns, t.id LIMIT 1), n.trial)
   FROM (SELECT i.session, i.problem, i.device, i.trial, i.low_ns, s.started
     FROM finalist i JOIN session s ON s.id = i.session
     WHERE i.problem = f.problem AND i.device = f.device
       AND EXISTS (SELECT 1 FROM verified v WHERE v.trial = i.trial)
     ORDER BY s.started DESC, s.id DESC, i.place LIMIT 1) n), f.trial) AS trial
FROM fastest f WHERE f.trial IS NOT NULL;

CREATE VIEW best_kernel AS SELECT
  t.device, t.program, t.sizes, t.gpts, t.gbs, t.copy_percent, t.median_ms,
  t.tunables, t.expr, t.trial, t.runtime, t.problem_id, t.program_id, t.device_id,
  t.steps, t.copy_level
FROM winner w CROSS JOIN trials t ON t.trial = w.trial;

-- Derivations end at a root even where a rule led back to it.
CREATE VIEW first_deriv AS SELECT child, parent, rule, position, args FROM deriv f
WHERE NOT EXISTS (SELECT 1 FROM problem WHERE root = f.child)
  AND NOT EXISTS (SELECT 1 FROM deriv g WHERE g.child = f.child AND
    (g.depth, g.later, g.parent, g.rule, g.position, g.args) <
    (f.depth, f.later, f.parent, f.rule, f.position, f.args));

CREATE VIEW derivation AS
WITH RECURSIVE chain(expr, child, back) AS (
  SELECT id, id, 0 FROM expr
  UNION ALL
  SELECT c.expr, f.parent, c.back + 1 FROM chain c JOIN first_deriv f
    ON f.child = c.child WHERE c.back < 1000),
path AS (SELECT c.expr AS expr,
    row_number() OVER (PARTITION BY c.expr ORDER BY c.back DESC) AS step,
    f.rule AS rule, f.position AS position, f.args AS args, f.child AS result,
    f.parent AS parent
  FROM chain c JOIN first_deriv f ON f.child = c.child),
uses AS (SELECT a.expr AS expr, a.step AS first, b.step AS last, m.macro AS macro,
    m.depth AS depth
  FROM macro_use m JOIN path a ON a.parent = m.parent JOIN path b
    ON b.result = m.child AND b.expr = a.expr AND b.step = a.step + m.steps - 1)
SELECT p.expr AS expr, p.step AS step, p.rule AS rule, p.position AS position,
  p.args AS args, p.result AS result,
  (SELECT group_concat(macro, ', ') FROM (SELECT u.macro FROM uses u
    WHERE u.expr = p.expr AND p.step BETWEEN u.first AND u.last
    ORDER BY u.last - u.first DESC, u.depth, u.macro)) AS macros
FROM path p;

CREATE VIEW failures AS SELECT
  program, sizes, device, status, reason, count(*) AS count, max(trial) AS example,
  problem_id, device_id
FROM trials WHERE status NOT IN ('ok', 'slow', 'slab', 'started')
GROUP BY problem_id, device_id, status, reason;

-- What is no name of a rule file is left out.
CREATE VIEW configuration_option AS WITH RECURSIVE part(expr, pair, rest, count) AS (
  SELECT expr, '', options || ',', 0 FROM configuration WHERE length(options) < 65536
  UNION ALL SELECT expr, substr(rest, 1, instr(rest, ',') - 1),
    substr(rest, instr(rest, ',') + 1), count + 1
  FROM part WHERE rest <> '' AND count < 64),
taken(expr, decision, option) AS (SELECT expr, substr(pair, 1, instr(pair, '=') - 1),
  substr(pair, instr(pair, '=') + 1) FROM part WHERE instr(pair, '=') > 1)
SELECT expr, decision, option FROM taken WHERE option <> ''
  AND decision || option NOT GLOB '*[^A-Za-z0-9_]*';

-- A candidate is as fast as in the newest final benchmark that it was in; else as in its fastest
-- verified trial.
CREATE VIEW configuration_result AS
WITH known(problem, device, candidate, ns, newest) AS MATERIALIZED (
  SELECT f.problem, f.device, t.candidate, f.median_ns, max(s.started || s.id)
  FROM finalist f JOIN trial t ON t.id = f.trial JOIN session s ON s.id = f.session
  GROUP BY 1, 2, 3),
tried(problem, device, candidate, trials, verified, ns) AS MATERIALIZED (
  SELECT t.problem, t.device, t.candidate, count(*), count(v.trial),
    min(iif(v.trial IS NULL, NULL, t.median_ns))
  FROM trial t LEFT JOIN verified v ON v.trial = t.id GROUP BY 1, 2, 3),
best(problem, device, expr, ns) AS MATERIALIZED (
  SELECT w.problem, w.device, c.expr, ifnull(k.ns, t.median_ns)
  FROM winner w JOIN trial t ON t.id = w.trial JOIN candidate c ON c.id = t.candidate
    LEFT JOIN known k ON k.problem = w.problem AND k.device = w.device
      AND k.candidate = t.candidate)
SELECT r.problem AS problem_id, r.device AS device_id, p.expr AS expr,
  p.options AS options, sum(r.trials) AS trials, sum(r.verified) AS verified,
  min(iif(r.ns IS NULL, NULL, ifnull(k.ns, r.ns))) AS median_ns,
  b.ns AS best_ns, p.expr IS b.expr AS best
FROM tried r JOIN candidate c ON c.id = r.candidate JOIN configuration p ON p.expr = c.expr
  LEFT JOIN known k ON k.problem = r.problem AND k.device = r.device
    AND k.candidate = r.candidate
  LEFT JOIN best b ON b.problem = r.problem AND b.device = r.device
GROUP BY r.problem, r.device, p.expr;

CREATE VIEW option_result AS
WITH taken(expr, decision, option) AS MATERIALIZED (
  SELECT expr, decision, option FROM configuration_option),
result AS MATERIALIZED (SELECT * FROM configuration_result)
SELECT p.name AS program, b.sizes AS sizes, b.dtype AS dtype, d.name AS device,
  d.runtime AS runtime, n.decision AS decision,
  ifnull(o.option, '(default)') AS option, count(*) AS exprs,
  sum(r.trials) AS trials, sum(r.verified) AS verified,
  min(r.median_ns) * 1e-6 AS median_ms, b.points / min(r.median_ns) AS gpts,
  max(r.best_ns) / min(r.median_ns) AS share, max(r.best) AS best,
  r.problem_id AS problem_id, b.program AS program_id, r.device_id AS device_id,
  b.steps AS steps
FROM result r CROSS JOIN (SELECT DISTINCT decision FROM taken) n
  LEFT JOIN taken o ON o.expr = r.expr AND o.decision = n.decision
  JOIN problem b ON b.id = r.problem_id JOIN program p ON p.id = b.program
  JOIN device d ON d.id = r.device_id
GROUP BY r.problem_id, r.device_id, n.decision, o.option;
