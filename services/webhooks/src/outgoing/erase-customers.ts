import type { EntityManager } from '@mikro-orm/postgresql';
import type { ResourceChange } from '@billing/contracts/events/resources';
import type { TeamId } from '@billing/contracts/ids';
import { eventResource } from '@billing/contracts/resources/event';
import { executeBound } from '@billing/database/bound-statement';

/** What events of a customer lose once it is deleted. */
const PERSONAL: ReadonlySet<string> = new Set(['email', 'name', 'externalId', 'metadata']);
/** Fields of them that every customer has stay, with nothing in them, as in `customer.deleted`. */
const EMPTY: Readonly<Record<string, unknown>> = { email: null, metadata: {} };

/** Returns the body of an event without the personal data of its customer; everything else keeps its place. */
export function erasedBody(body: string): string {
  const without = (part: unknown, kept: typeof EMPTY) => {
    const fields = Object.entries(eventResource.nullable().parse(part) ?? {}).filter(
      ([name]) => !PERSONAL.has(name) || name in kept,
    );
    return part && Object.fromEntries(fields.map(([name, value]) => [name, name in kept ? kept[name] : value]));
  };
  const event = Object.entries(eventResource.parse(JSON.parse(body)));
  const erased = event.map(([name, part]) => {
    if (name === 'data') return [name, without(part, EMPTY)] as const;
    return [name, name === 'previousAttributes' ? without(part, {}) : part] as const;
  });
  return JSON.stringify(Object.fromEntries(erased));
}

/**
 * Erases the personal data of customers that are deleted from their stored events, in the transaction that records that
 * they are, or an event of theirs that comes late. `customer.deleted` itself has none.
 */
export async function eraseDeleted(
  tx: EntityManager,
  changes: readonly (Pick<ResourceChange, 'projectId' | 'object'> & { readonly teamId: TeamId })[],
): Promise<void> {
  if (changes.length === 0) return;
  const customers = changes.map(({ teamId, projectId, object: { id } }) => {
    return { team_id: teamId, project_id: projectId, object_id: id };
  });
  const rows = await executeBound<{ team_id: string; project_id: string; id: string; body: string }>(
    tx,
    `select e.team_id, e.project_id, e.id, e.body
       from (select distinct team_id, project_id, object_id from json_populate_recordset(null::events, $1::json)) k
       join events d on (d.team_id, d.project_id, d.object_id) = (k.team_id, k.project_id, k.object_id)
                    and d.type = 'customer.deleted'
       join events e on (e.team_id, e.project_id, e.object_id) = (d.team_id, d.project_id, d.object_id)
                    and e.object_type = 'customer' and e.type <> 'customer.deleted' and not e.is_erased`,
    [JSON.stringify(customers)],
  );
  if (rows.length === 0) return;
  await executeBound(
    tx,
    `update events e set body = k.body, is_erased = true
       from json_to_recordset($1::json) as k(team_id text, project_id text, id text, body text)
      where (e.team_id, e.project_id, e.id) = (k.team_id, k.project_id, k.id)`,
    [JSON.stringify(rows.map(row => ({ ...row, body: erasedBody(row.body) })))],
  );
}
