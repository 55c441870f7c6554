/* All SQL text of the program. docs/database.md describes the tables. */
#include "tuner/db_internal.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ','now')"

static const char schema_1[] =
    "CREATE TABLE device(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  runtime TEXT NOT NULL, name TEXT NOT NULL, vendor TEXT NOT NULL, arch TEXT NOT "
    "NULL,\n"
    "  compute_units INTEGER NOT NULL, simd_width INTEGER NOT NULL,\n"
    "  max_group_size INTEGER NOT NULL, local_bytes INTEGER NOT NULL,\n"
    "  global_bytes INTEGER NOT NULL,\n"
    "  copy_gbs REAL, copy_at TEXT\n"
    ") WITHOUT ROWID;\n"

    "CREATE TABLE program(\n"
    "  id TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL\n"
    ") WITHOUT ROWID;\n"
    "CREATE INDEX program_name ON program(name);\n"

    "CREATE TABLE expr(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  level TEXT NOT NULL CHECK (level IN ('high', 'low')),\n"
    "  size INTEGER NOT NULL, text TEXT NOT NULL\n"
    ") WITHOUT ROWID;\n"

    "CREATE TABLE problem(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  program TEXT NOT NULL REFERENCES program(id),\n"
    "  root TEXT NOT NULL REFERENCES expr(id),\n"
    "  sizes TEXT NOT NULL, params TEXT NOT NULL, dtype TEXT NOT NULL,\n"
    "  points INTEGER NOT NULL, bytes INTEGER\n"
    ") WITHOUT ROWID;\n"
    "CREATE INDEX problem_program ON problem(program);\n"
    "CREATE INDEX problem_root ON problem(root);\n"

    /* With a rowid: the first-found parent has the smallest. */
    "CREATE TABLE deriv(\n"
    "  child TEXT NOT NULL REFERENCES expr(id),\n"
    "  parent TEXT NOT NULL REFERENCES expr(id),\n"
    "  rule TEXT NOT NULL, position TEXT NOT NULL, args TEXT NOT NULL,\n"
    "  UNIQUE(child, parent, rule, position, args)\n"
    ");\n"
    "CREATE INDEX deriv_parent ON deriv(parent);\n"

    "CREATE TABLE candidate(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  expr TEXT NOT NULL REFERENCES expr(id),\n"
    "  tunables TEXT NOT NULL\n"
    ") WITHOUT ROWID;\n"
    "CREATE INDEX candidate_expr ON candidate(expr);\n"

    "CREATE TABLE session(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  argv TEXT NOT NULL, seed TEXT NOT NULL, budget TEXT NOT NULL,\n"
    "  versions TEXT NOT NULL,\n"
    "  host TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT "
    "NULL,\n"
    "  started TEXT NOT NULL, ended TEXT, end_reason TEXT\n"
    ") WITHOUT ROWID;\n"

    "CREATE TABLE status(name TEXT PRIMARY KEY, meaning TEXT NOT NULL) WITHOUT ROWID;\n"
    "INSERT INTO status VALUES\n"
    "  ('started', 'in hand of a running session'),\n"
    "  ('ok', 'verified and timed in full'),\n"
    "  ('slow', 'no wrong value, but too slow to be timed in full'),\n"
    "  ('constraint', 'the tunables break a constraint of the device'),\n"
    "  ('codegen', 'no source could be made of the expression'),\n"
    "  ('compile_error', 'the compiler refused the source'),\n"
    "  ('compile_timeout', 'the compiler took too long'),\n"
    "  ('resource', 'too much memory, local memory or too large a group'),\n"
    "  ('launch_error', 'the runtime refused the launch'),\n"
    "  ('run_error', 'the runtime reported a failure while the kernel ran'),\n"
    "  ('run_timeout', 'the kernel ran too long and was killed'),\n"
    "  ('crash', 'the kernel ended its process'),\n"
    "  ('wrong', 'values beyond the error bound'),\n"
    "  ('nonfinite', 'infinite values or values that are no numbers'),\n"
    "  ('lost', 'its session ended before it did');\n"

    "CREATE TABLE build(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  source_hash TEXT NOT NULL, source TEXT NOT NULL,\n"
    "  compiler TEXT NOT NULL, driver TEXT NOT NULL, flags TEXT NOT NULL,\n"
    "  registers INTEGER, spill_bytes INTEGER, local_bytes INTEGER, max_group_size "
    "INTEGER,\n"
    "  log TEXT NOT NULL\n"
    ") WITHOUT ROWID;\n"

    "CREATE TABLE try(\n"
    "  id TEXT PRIMARY KEY,\n"
    "  candidate TEXT NOT NULL REFERENCES candidate(id),\n"
    "  problem TEXT NOT NULL REFERENCES problem(id),\n"
    "  device TEXT NOT NULL REFERENCES device(id),\n"
    "  session TEXT NOT NULL REFERENCES session(id),\n"
    "  status TEXT NOT NULL REFERENCES status(name),\n"
    "  reason TEXT NOT NULL,\n"
    "  build TEXT REFERENCES build(id),\n"
    "  median_ns REAL,\n"
    "  started TEXT NOT NULL, ended TEXT\n"
    ");\n"
    "CREATE INDEX try_problem ON try(problem, device, status);\n"
    "CREATE INDEX try_candidate ON try(candidate);\n"
    "CREATE INDEX try_started ON try(session) WHERE status = 'started';\n"
    "CREATE TRIGGER try_final BEFORE UPDATE ON try WHEN OLD.status <> 'started'\n"
    "BEGIN SELECT RAISE(ABORT, 'a try that has ended is not changed'); END;\n"

    "CREATE TABLE check_result(\n"
    "  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL,\n"
    "  kind TEXT NOT NULL CHECK (kind IN ('small', 'full')),\n"
    "  max_error REAL, bound REAL,\n"
    "  bad INTEGER NOT NULL, first_bad INTEGER,\n"
    "  PRIMARY KEY(try, idx)\n"
    ") WITHOUT ROWID;\n"

    "CREATE TABLE timing(\n"
    "  try TEXT NOT NULL REFERENCES try(id), idx INTEGER NOT NULL, ns INTEGER NOT NULL,\n"
    "  PRIMARY KEY(try, idx)\n"
    ") WITHOUT ROWID;\n"

    /* One row a try, with names in place of ids. */
    "CREATE VIEW tries AS SELECT\n"
    "  p.name AS program, b.sizes AS sizes, d.name AS device, d.runtime AS runtime,\n"
    "  t.status AS status, t.reason AS reason, t.median_ns * 1e-6 AS median_ms,\n"
    "  b.points / t.median_ns AS gpts, b.bytes / t.median_ns AS gbs,\n"
    "  100 * b.bytes / t.median_ns / d.copy_gbs AS roof_percent,\n"
    "  c.tunables AS tunables, c.expr AS expr, t.id AS try, t.candidate AS candidate,\n"
    "  t.build AS build, t.session AS session, t.started AS started, t.ended AS ended,\n"
    "  t.problem AS problem_id, b.program AS program_id, t.device AS device_id\n"
    "FROM try t JOIN candidate c ON c.id = t.candidate JOIN problem b ON b.id = "
    "t.problem\n"
    "  JOIN program p ON p.id = b.program JOIN device d ON d.id = t.device;\n"

    "CREATE VIEW verified AS SELECT id AS try FROM try t\n"
    "WHERE status = 'ok' AND median_ns > 0\n"
    "  AND EXISTS (SELECT 1 FROM check_result k WHERE k.try = t.id AND k.kind = 'full')\n"
    "  AND NOT EXISTS (SELECT 1 FROM check_result k WHERE k.try = t.id AND k.bad > 0);\n"

    "CREATE VIEW best_kernel AS SELECT\n"
    "  device, program, sizes, gpts, gbs, roof_percent, median_ms, tunables, expr, try,\n"
    "  runtime, problem_id, program_id, device_id\n"
    "FROM (SELECT *, row_number() OVER (\n"
    "        PARTITION BY problem_id, device_id ORDER BY median_ms, started, try) AS "
    "place\n"
    "      FROM tries WHERE try IN (SELECT try FROM verified))\n"
    "WHERE place = 1;\n"

    /* Derivations end at a root even where a rule led back to it. */
    "CREATE VIEW first_deriv AS SELECT\n"
    "  child, parent, rule, position, args, min(rowid) AS found\n"
    "FROM deriv WHERE child NOT IN (SELECT root FROM problem) GROUP BY child;\n"

    "CREATE VIEW derivation AS\n"
    "WITH RECURSIVE chain(expr, child, back) AS (\n"
    "  SELECT id, id, 0 FROM expr\n"
    "  UNION ALL\n"
    "  SELECT c.expr, f.parent, c.back + 1 FROM chain c JOIN first_deriv f\n"
    "    ON f.child = c.child WHERE c.back < 1000)\n"
    "SELECT c.expr AS expr,\n"
    "  row_number() OVER (PARTITION BY c.expr ORDER BY c.back DESC) AS step,\n"
    "  f.rule AS rule, f.position AS position, f.args AS args, f.child AS result\n"
    "FROM chain c JOIN first_deriv f ON f.child = c.child;\n"

    "CREATE VIEW failures AS SELECT\n"
    "  program, sizes, device, status, reason, count(*) AS count, max(try) AS example,\n"
    "  problem_id, device_id\n"
    "FROM tries WHERE status NOT IN ('ok', 'slow', 'started')\n"
    "GROUP BY problem_id, device_id, status, reason;\n";

/* Macros: each leads from one term to another by rewrites that have rows of their own.
 * One is part of a derivation if both terms are, so many steps apart. */
static const char schema_2[] =
    "CREATE TABLE macro_use(\n"
    "  child TEXT NOT NULL REFERENCES expr(id),\n"
    "  parent TEXT NOT NULL REFERENCES expr(id),\n"
    "  macro TEXT NOT NULL, position TEXT NOT NULL,\n"
    "  steps INTEGER NOT NULL, depth INTEGER NOT NULL,\n"
    "  UNIQUE(child, parent, macro, steps)\n"
    ");\n"
    "CREATE INDEX macro_parent ON macro_use(parent);\n"

    "DROP VIEW derivation;\n"
    "CREATE VIEW derivation AS\n"
    "WITH RECURSIVE chain(expr, child, back) AS (\n"
    "  SELECT id, id, 0 FROM expr\n"
    "  UNION ALL\n"
    "  SELECT c.expr, f.parent, c.back + 1 FROM chain c JOIN first_deriv f\n"
    "    ON f.child = c.child WHERE c.back < 1000),\n"
    "path AS (SELECT c.expr AS expr,\n"
    "    row_number() OVER (PARTITION BY c.expr ORDER BY c.back DESC) AS step,\n"
    "    f.rule AS rule, f.position AS position, f.args AS args, f.child AS result,\n"
    "    f.parent AS parent\n"
    "  FROM chain c JOIN first_deriv f ON f.child = c.child),\n"
    "uses AS (SELECT a.expr AS expr, a.step AS first, b.step AS last, m.macro AS macro,\n"
    "    m.depth AS depth\n"
    "  FROM macro_use m JOIN path a ON a.parent = m.parent JOIN path b\n"
    "    ON b.result = m.child AND b.expr = a.expr AND b.step = a.step + m.steps - 1)\n"
    "SELECT p.expr AS expr, p.step AS step, p.rule AS rule, p.position AS position,\n"
    "  p.args AS args, p.result AS result,\n"
    "  (SELECT group_concat(macro, ', ') FROM (SELECT u.macro FROM uses u\n"
    "    WHERE u.expr = p.expr AND p.step BETWEEN u.first AND u.last\n"
    "    ORDER BY u.last - u.first DESC, u.depth)) AS macros\n"
    "FROM path p;\n";

/* What a session could reach, and why not all of it was tried. */
static const char schema_3[] =
    "CREATE TABLE reach(\n"
    "  session TEXT NOT NULL REFERENCES session(id),\n"
    "  problem TEXT NOT NULL REFERENCES problem(id),\n"
    "  device TEXT NOT NULL REFERENCES device(id),\n"
    "  what TEXT NOT NULL CHECK (what IN ('terms', 'terms not followed', 'expressions',\n"
    "    'tried', 'not tried', 'not lowered')),\n"
    "  reason TEXT NOT NULL, count INTEGER NOT NULL,\n"
    "  UNIQUE(session, what, reason)\n"
    ");\n"
    "CREATE INDEX reach_problem ON reach(problem, device);\n";

const char *const db_migrations[] = {schema_1, schema_2, schema_3, NULL};

/* The first-found parent of one expression, if it is no root. */
#define FIRST_DERIV                                                                      \
    "SELECT min(rowid) FROM deriv WHERE child = chain.child"                             \
    " AND NOT EXISTS (SELECT 1 FROM problem WHERE root = chain.child)"

/* The way back from an expression: 'deriv' is the rewrite from 'child'. */
#define CHAIN                                                                            \
    "WITH RECURSIVE chain(child, deriv, back) AS ("                                      \
    " SELECT ?1, NULL, 0 UNION ALL"                                                      \
    " SELECT f.parent, f.rowid, chain.back + 1 FROM chain"                               \
    " JOIN deriv f ON f.rowid = (" FIRST_DERIV ") WHERE chain.back < 1000)"

/* Rows whose id is ?1 or, from six digits on, begins with it. */
#define BY_ID(column)                                                                    \
    "(" column " = ?1 OR length(?1) >= 6 AND " column " >= ?1 AND " column " < ?1 || "   \
    "'g')"

const char *const db_sql[DB_STMTS] = {
    [DB_BEGIN] = "BEGIN IMMEDIATE",
    [DB_COMMIT] = "COMMIT",
    [DB_ROLLBACK] = "ROLLBACK",
    [DB_PUT_DEVICE] =
        "INSERT OR IGNORE INTO device(id, runtime, name, vendor, arch,"
        " compute_units, simd_width, max_group_size, local_bytes, global_bytes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [DB_PUT_ROOF] = "UPDATE device SET copy_gbs = ?2, copy_at = " NOW " WHERE id = ?1",
    [DB_GET_ROOF] = "SELECT ifnull(copy_gbs, 0) FROM device WHERE id = ?",
    [DB_PUT_PROGRAM] = "INSERT OR IGNORE INTO program(id, name, text) VALUES (?, ?, ?)",
    [DB_PUT_PROBLEM] =
        "INSERT OR IGNORE INTO problem(id, program, root, sizes, params,"
        " dtype, points, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0))",
    [DB_PUT_EXPR] =
        "INSERT OR IGNORE INTO expr(id, level, size, text) VALUES (?, ?, ?, ?)",
    [DB_PUT_DERIV] = "INSERT OR IGNORE INTO deriv(child, parent, rule, position, args)"
                     " VALUES (?, ?, ?, ?, ?)",
    [DB_PUT_MACRO] =
        "INSERT OR IGNORE INTO macro_use(child, parent, macro, position, steps, depth)"
        " VALUES (?, ?, ?, ?, ?, ?)",
    [DB_PUT_CANDIDATE] =
        "INSERT OR IGNORE INTO candidate(id, expr, tunables) VALUES (?, ?, ?)",
    [DB_SESSION_START] =
        "INSERT INTO session(id, argv, seed, budget, versions, host, boot,"
        " pid, born, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ")",
    [DB_SESSION_END] = "UPDATE session SET ended = " NOW ", end_reason = ?2"
                       " WHERE id = ?1 AND ended IS NULL",
    [DB_SESSIONS_OPEN] =
        "SELECT id, host, boot, pid, born FROM session WHERE ended IS NULL",
    [DB_LOSE_TRIES] = "UPDATE try SET status = 'lost', reason = ?2, ended = " NOW
                      " WHERE session = ?1 AND status = 'started'",
    [DB_TRY_START] =
        "INSERT INTO try(id, candidate, problem, device, session, status, reason,"
        " started) VALUES (?, ?, ?, ?, ?, 'started', '', " NOW ")",
    [DB_TRY_FINISH] =
        "UPDATE try SET status = ?2, reason = ?3, build = nullif(?4, ''),"
        " median_ns = ?5, ended = " NOW " WHERE id = ?1 AND status = 'started'",
    [DB_PUT_BUILD] =
        "INSERT OR IGNORE INTO build(id, source_hash, source, compiler, driver,"
        " flags, registers, spill_bytes, local_bytes, max_group_size, log)"
        " VALUES (?, ?, ?, ?, ?, ?, nullif(?, -1), nullif(?, -1), nullif(?, -1),"
        " nullif(?, -1), ?)",
    [DB_PUT_CHECK] = "INSERT INTO check_result(try, idx, kind, max_error, bound, bad,"
                     " first_bad) VALUES (?, ?, ?, ?, ?, ?, nullif(?, -1))",
    [DB_PUT_TIMING] = "INSERT INTO timing(try, idx, ns) VALUES (?, ?, ?)",
    [DB_PUT_REACH] = "INSERT OR IGNORE INTO reach(session, problem, device, what, reason,"
                     " count) VALUES (?, ?, ?, ?, ?, ?)",
    [DB_BEST] =
        "SELECT program, sizes, device, runtime, tunables, gpts, gbs,"
        " roof_percent / 100, median_ms / 1000, expr, try, problem_id, device_id"
        " FROM best_kernel"
        " WHERE (?1 = '' OR program = ?1 OR " BY_ID(
            "program_id") ")"
                          " AND (?2 = '' OR sizes = ?2)"
                          " AND (?3 = '' OR device_id IN (SELECT id FROM device WHERE"
                          "      instr(lower(runtime || ' ' || vendor || ' ' || name), "
                          "lower(?3))))"
                          " ORDER BY program, sizes, runtime, device",
    [DB_EXPLORED] =
        "SELECT p.name, b.sizes, d.name, d.runtime, b.id, d.id, count(DISTINCT c.expr),"
        " count(*), sum(t.status = 'ok')"
        " FROM try t JOIN candidate c ON c.id = t.candidate"
        " JOIN problem b ON b.id = t.problem JOIN program p ON p.id = b.program"
        " JOIN device d ON d.id = t.device"
        " WHERE (?1 = '' OR p.name = ?1 OR " BY_ID(
            "p.id") ")"
                    " AND (?2 = '' OR b.sizes = ?2)"
                    " AND (?3 = '' OR instr(lower(d.runtime || ' ' || d.vendor || ' ' ||"
                    "      d.name), lower(?3)))"
                    " GROUP BY b.id, d.id ORDER BY p.name, b.sizes, d.runtime, d.name",
    [DB_DERIVATION] =
        CHAIN " SELECT d.rule, d.position, d.args, d.child FROM chain JOIN deriv d"
              " ON d.rowid = chain.deriv ORDER BY chain.back DESC",
    [DB_DERIVATION_MACROS] =
        CHAIN ", ends(back) AS (SELECT max(back) FROM chain)"
              " SELECT m.macro, m.position, ends.back - p.back + 1, m.steps"
              " FROM chain p JOIN macro_use m ON m.parent = p.child JOIN ends"
              " JOIN chain c ON c.child = m.child AND p.back - c.back = m.steps"
              " ORDER BY m.steps DESC, m.depth, p.back DESC",
    [DB_TRIED] = "SELECT c.expr, t.id, c.tunables, t.reason, t.status,"
                 " ifnull(t.median_ns, 0) * 1e-9 FROM try t JOIN candidate c"
                 " ON c.id = t.candidate WHERE t.problem = ? AND t.device = ?"
                 " ORDER BY t.rowid",
    [DB_FAILURES] =
        "SELECT status, reason, count FROM failures"
        " WHERE problem_id = ? AND device_id = ? ORDER BY count DESC, status, reason",
    [DB_REACH] = "SELECT what, reason, count FROM reach WHERE session ="
                 " (SELECT session FROM reach WHERE problem = ?1 AND device = ?2"
                 " ORDER BY rowid DESC LIMIT 1) ORDER BY rowid",
    [DB_TEXT_PROGRAM] =
        "SELECT text FROM program WHERE name = ?1 OR " BY_ID("id") " LIMIT 2",
    [DB_TEXT_EXPR] = "SELECT text FROM expr WHERE " BY_ID("id") " LIMIT 2",
    [DB_TEXT_SOURCE] = "SELECT b.source FROM try t JOIN build b ON b.id = t.build"
                       " WHERE " BY_ID("t.id") " LIMIT 2",
    [DB_TEXT_LOG] = "SELECT b.log FROM try t JOIN build b ON b.id = t.build"
                    " WHERE " BY_ID("t.id") " LIMIT 2",
    [DB_CSV_BEST] = "SELECT * FROM best_kernel ORDER BY program, sizes, runtime, device",
    [DB_CSV_TRIES] = "SELECT * FROM tries ORDER BY started, try",
    [DB_CSV_TIMINGS] =
        "SELECT s.program, s.sizes, s.device, s.expr, s.tunables, s.status,"
        " s.try, m.idx, m.ns FROM tries s JOIN timing m ON m.try = s.try"
        " ORDER BY s.started, s.try, m.idx",
};
