/**
 * What the default probes give for each trial of the nights ?1 to ?2, as SQL: a window of one second on
 * eight cores, sampled every 20 ms. Values are plausible and of the usual length; nothing is read off them.
 */
export const readingStatements: readonly string[] = [
  `INSERT INTO probe_reading (trial_id, probe, position, wall_ms, cost_ms)
   SELECT cell.id, probe.value, probe.key,
     CASE probe.value WHEN 'environment' THEN NULL ELSE 1003.417 END, 2.375
   FROM cell, json_each('["cpu-core","cpu-thread","environment"]') AS probe
   WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('snapshot', 50)}
   INSERT INTO core_reading (trial_id, interval_ms, snapshots)
   SELECT cell.id, 20, (SELECT json_group_array(json_array(
     snapshot.i * 20.0 + 0.375,
     json_array(${cores('10 * (snapshot.i * 2 / (1 + #))')}),
     json_array(${cores('0')}))) FROM snapshot)
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('sample', 50)}
   INSERT INTO role_timeline (trial_id, samples)
   SELECT cell.id, (SELECT json_group_array(json_array(sample.i * 20.0 + 0.375, json_object(
     'js-main', sample.i * 17.25, 'gc', sample.i * 2.125, 'jit', sample.i * 1.375,
     'compositor', sample.i * 0.25, 'other', sample.i * 0.625))) FROM sample)
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
  `WITH RECURSIVE ${steps('thread', 20)}
   INSERT INTO thread_reading (trial_id, position, pid, tid, process, name, role, cpu_ms, last_core)
   SELECT cell.id, thread.i, 4000 + thread.i / 8, 4000 + thread.i, 'renderer', 'ThreadPoolForeg',
     json_extract('["js-main","gc","jit","compositor","io","other"]', '$[' || (thread.i % 6) || ']'),
     862.5 / (1 + thread.i), thread.i % 8
   FROM cell, thread WHERE run_id BETWEEN ?1 AND ?2`,
  `INSERT INTO environment_reading (trial_id, load1, cpu_pressure, free_memory_bytes, governor,
     frequency_mhz, foreign_share, steal_share, throttle_events)
   SELECT id, 1.25, 0.01, 8000000000, 'performance', 2600, 0.01, 0, 0
   FROM cell WHERE run_id BETWEEN ?1 AND ?2`,
];

/** Rows `0 … count` of a table named for what they are. */
function steps(name: string, count: number): string {
  return `${name}(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM ${name} WHERE i < ${String(count)})`;
}

/** One value for each of eight cores, # being its number. */
function cores(value: string): string {
  return Array.from({ length: 8 }, (_, core) => value.replace('#', String(core))).join(', ');
}
