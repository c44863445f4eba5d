/**
 * A statement that adds to the totals what the rows `(team_id, bytes)` of a common table expression say; what is deleted
 * counts below zero. It locks the totals in one order, after the events, so that two writers never wait for each other in a
 * circle. What a sync has read is not counted: it is deleted with the sync.
 */
export const addToTotals = (rows: string): string => `
  insert into payload_totals as known (team_id, bytes)
  select team_id, sum(bytes) from ${rows} where bytes <> 0 group by team_id order by team_id
  on conflict (team_id) do update set bytes = greatest(known.bytes + excluded.bytes, 0)`;

/** Takes from the totals what an update has deleted that returned `team_id`, `payload_bytes` and `sync_id`. */
export const takeFromTotals = (deleted: string): string =>
  addToTotals(`(select team_id, -payload_bytes as bytes from ${deleted} where sync_id is null) freed`);
