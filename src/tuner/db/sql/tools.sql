--@ A selection of the best kernels (db_best.c): the final benchmark of each problem and device that named its
--@ winner, if one did.
--@DB_SELECT_FINALS
CREATE TEMP TABLE best_winner AS SELECT w.problem AS problem, w.device AS device,
    w.trial AS trial, t.median_ns AS ns FROM winner w JOIN trial t ON t.id = w.trial;
CREATE TEMP TABLE best_final AS SELECT f.session AS session, f.problem AS problem,
    f.device AS device, f.place AS place, f.trial AS trial, t.candidate AS candidate
  FROM finalist f JOIN trial t ON t.id = f.trial WHERE f.session =
    (SELECT n.session FROM finalist n JOIN session s ON s.id = n.session
      JOIN verified v ON v.trial = n.trial
      WHERE n.problem = f.problem AND n.device = f.device
      ORDER BY s.started DESC, s.id DESC LIMIT 1);
CREATE TEMP TABLE best_trial(id TEXT PRIMARY KEY) WITHOUT ROWID;

--@ The winner, the others of its final by their places, then what the search measured. What seemed
--@ faster than the winner, and lost the final benchmark or was not in it, stays out: the winner must win here,
--@ too.
--@DB_SELECT_TRIALS
INSERT INTO best_trial SELECT id FROM (SELECT id, row_number() OVER
    (PARTITION BY problem, device ORDER BY merit, ns, id) AS place FROM
  (SELECT *, row_number() OVER (PARTITION BY problem, device, expr
     ORDER BY merit, ns, id) AS turn FROM
    (SELECT t.id AS id, t.problem AS problem, t.device AS device, c.expr AS expr,
       t.median_ns AS ns, iif(t.id = w.trial, 0, ifnull(f.place, 1000)) AS merit
     FROM best_winner w JOIN trial t ON t.problem = w.problem AND t.device = w.device
       JOIN verified v ON v.trial = t.id JOIN candidate c ON c.id = t.candidate
       LEFT JOIN best_final f ON f.trial = t.id
     WHERE t.id = w.trial OR f.trial IS NOT NULL OR (t.median_ns >= w.ns
       AND NOT EXISTS (SELECT 1 FROM best_final b WHERE b.candidate = t.candidate
         AND b.problem = t.problem AND b.device = t.device))))
  WHERE turn = 1) WHERE place <= ?

--@DB_SELECT_EXPRS
CREATE TEMP TABLE best_expr(id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO best_expr WITH RECURSIVE way(id) AS (
  SELECT c.expr FROM best_trial b JOIN trial t ON t.id = b.id
    JOIN candidate c ON c.id = t.candidate
  UNION SELECT p.root FROM best_trial b JOIN trial t ON t.id = b.id
    JOIN problem p ON p.id = t.problem
  UNION SELECT f.parent FROM way JOIN first_deriv f ON f.child = way.id)
SELECT id FROM way;

--@DB_SELECT_END
DROP TABLE IF EXISTS temp.best_winner; DROP TABLE IF EXISTS temp.best_final;
DROP TABLE IF EXISTS temp.best_trial; DROP TABLE IF EXISTS temp.best_expr;

--@ Sources and logs can be made again, the texts between a program and its kernel, too; which machine
--@ it was is nobody's business.
--@DB_STRIP
UPDATE source SET text = NULL, bytes = 0;
UPDATE build SET log = NULL, log_bytes = 0;
UPDATE expr SET text = '', bytes = 0 WHERE id NOT IN (SELECT expr FROM candidate)
  AND id NOT IN (SELECT root FROM problem);
UPDATE session SET host = '', boot = '', pid = 0, born = '';

--@ Making a file small (db_prune.c): the trials that are kept whole are the best of each problem and
--@ device, and finals.
--@DB_KEEP
CREATE TEMP TABLE kept(trial TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT OR IGNORE INTO kept SELECT trial FROM winner;
INSERT OR IGNORE INTO kept SELECT trial FROM finalist;
INSERT OR IGNORE INTO kept SELECT id FROM trial WHERE status = 'started';

--@DB_KEEP_TOP
INSERT OR IGNORE INTO kept SELECT id FROM (SELECT t.id AS id, row_number() OVER
    (PARTITION BY t.problem, t.device ORDER BY t.median_ns, t.id) AS place
  FROM trial t JOIN verified v ON v.trial = t.id) WHERE place <= ?

--@ Sources are those of several builds, builds those of several trials. Of expressions those on the
--@ ways to what is kept keep their text.
--@DB_DROP_REST
CREATE TEMP TABLE kept_build(id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT OR IGNORE INTO kept_build SELECT build FROM trial WHERE build IS NOT NULL
  AND id IN (SELECT trial FROM kept);
DELETE FROM timing WHERE trial NOT IN (SELECT trial FROM kept);
UPDATE build SET log = NULL, log_bytes = 0 WHERE log IS NOT NULL
  AND id NOT IN (SELECT id FROM kept_build);
UPDATE source SET text = NULL, bytes = 0 WHERE text IS NOT NULL
  AND id NOT IN (SELECT source FROM build WHERE id IN (SELECT id FROM kept_build));
CREATE TEMP TABLE kept_expr(id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO kept_expr WITH RECURSIVE way(id) AS (
  SELECT c.expr FROM kept k JOIN trial t ON t.id = k.trial JOIN candidate c ON c.id = t.candidate
  UNION SELECT root FROM problem
  UNION SELECT f.parent FROM way JOIN first_deriv f ON f.child = way.id)
SELECT id FROM way;
UPDATE expr SET text = '', bytes = 0 WHERE bytes > 0 AND id NOT IN (SELECT id FROM kept_expr);

--@define FAILED
status NOT IN ('ok', 'slow', 'slab', 'started')

--@ What was wrong once stays: it is why another trial of the candidate is not verified.
--@DB_DROP_FAILURES
CREATE TEMP TABLE gone AS SELECT id FROM trial WHERE $FAILED
  AND status NOT IN ('wrong', 'nonfinite', 'overflow', 'nondeterministic')
  AND id NOT IN (SELECT trial FROM kept);
DELETE FROM check_result WHERE trial IN (SELECT id FROM gone);
DELETE FROM timing WHERE trial IN (SELECT id FROM gone);
DELETE FROM trial WHERE id IN (SELECT id FROM gone);
DROP TABLE gone;

--@DB_KEEP_END
DROP TABLE temp.kept; DROP TABLE temp.kept_build; DROP TABLE temp.kept_expr;

--@DB_COUNT_FAILED
SELECT count(*) FROM trial WHERE $FAILED

--@DB_TRIAL_ENDED
$TRIAL_ENDED
