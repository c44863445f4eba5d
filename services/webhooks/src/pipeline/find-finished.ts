import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { nameOf, toKey, type PipelineEvent } from './lease.ts';

type EventKey = Pick<PipelineEvent, 'teamId' | 'id'>;

/** Returns which of the published events are complete, or gone: any copy of the service may have recorded that. */
export async function findFinished(em: EntityManager, events: readonly EventKey[]): Promise<readonly EventKey[]> {
  if (events.length === 0) return [];
  const rows = await executeBound<ReturnType<typeof toKey> & { readonly is_unfinished: boolean }>(
    em.fork(),
    // Without a condition on the status: where few events had it lately, the planner would look for them one by one.
    `select e.team_id, e.id, e.status = 'received' as is_unfinished
       from webhook_events e join json_to_recordset($1::json) as k(team_id text, id text)
         on e.team_id = k.team_id and e.id = k.id`,
    [JSON.stringify(events.map(toKey))],
  );
  const unfinished = new Set(
    rows.filter(row => row.is_unfinished).map(row => nameOf({ teamId: row.team_id, id: row.id })),
  );
  return events.filter(event => !unfinished.has(nameOf(event)));
}
