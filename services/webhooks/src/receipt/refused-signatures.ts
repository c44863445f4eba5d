import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Logger } from 'pino';

/** How often counts are written, in milliseconds. */
const WRITE_MS = 2_000;
/** Teams that are counted between two writes: anyone may invent more. */
const MAX_TEAMS = 10_000;

/**
 * Opens a counter of webhooks whose signature was refused, by team and minute: few writes, whatever is posted, and rows of
 * connected teams only.
 */
export function openRefusedSignatures(em: EntityManager, logger: Logger) {
  let counts = new Map<string, number>();
  const write = async (): Promise<void> => {
    if (counts.size === 0) return;
    const rows = [...counts].map(([teamId, refused]) => ({ teamId, refused }));
    counts = new Map();
    await executeBound(
      em.fork(),
      `insert into refused_signatures as known (team_id, minute, refused)
       select r."teamId", date_trunc('minute', clock_timestamp()), r.refused
         from json_to_recordset($1::json) as r("teamId" text, refused int)
         join processor_accounts a on a.team_id = r."teamId" order by 1
       on conflict (team_id, minute) do update set refused = known.refused + excluded.refused`,
      [JSON.stringify(rows)],
    ).catch((err: unknown) => logger.warn({ err }, 'refused signatures not counted'));
  };
  const timer = setInterval(() => void write(), WRITE_MS).unref();
  return {
    add(teamId: string): void {
      if (counts.size < MAX_TEAMS || counts.has(teamId)) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await write();
    },
  };
}
