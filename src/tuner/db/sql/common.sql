--@ What several texts say.

--@define NOW
strftime('%Y-%m-%dT%H:%M:%fZ','now')

--@ Rows whose id is ?1 or, from LIFT_HASH_LEAST digits on, begins with it.
--@define BY_ID
(id = ?1 OR length(?1) >= 4 AND id >= ?1 AND id < ?1 || 'g')

--@ Programs 'p' of the name ?1, or if there is none, of such an id.
--@define BY_PROGRAM
(p.name = ?1 OR NOT EXISTS (SELECT 1 FROM program WHERE name = ?1)
   AND (p.id = ?1 OR length(?1) >= 4 AND p.id >= ?1 AND p.id < ?1 || 'g'))

--@ Makes the trigger that guards trials that have ended.
--@define TRIAL_ENDED
CREATE TRIGGER trial_ended BEFORE UPDATE ON trial WHEN OLD.status <> 'started'
BEGIN SELECT RAISE(ABORT, 'a trial that has ended is not changed'); END;

--@ Sessions of dead processes: the last sign of life is the end, and all copies of a session agree.
--@define END_DEAD
UPDATE session SET end_reason = 'the process died', ended = max(started, ifnull(
    (SELECT max(max(t.started, ifnull(t.launched, ''), ifnull(t.ended, '')))
      FROM trial t WHERE t.session = session.id), ''))
  WHERE ended IS NULL

--@ The copy bandwidth that bounds problem b on device d: that of the last-level cache if all data of a
--@ launch stay there. The name of that level.
--@define CEILING
iif(b.bytes <= d.cache_bytes AND d.cache_gbs > 0, d.cache_gbs, d.copy_gbs)

--@define LEVEL
iif(b.bytes <= d.cache_bytes AND d.cache_gbs > 0, 'cache', 'memory')
