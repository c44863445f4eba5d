import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, SubscriptionId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { lockAll } from './locks.ts';

const TABLES = {
  subscription: { name: 'subscriptions', processorId: 'processor_subscription_id' },
  invoice: { name: 'invoices', processorId: 'processor_invoice_id' },
} as const;

interface IdOf {
  readonly subscription: SubscriptionId;
  readonly invoice: InvoiceId;
}

/** Our ids of the processor's objects, by `scopedKey`. */
export type Ids<Kind extends keyof IdOf> = ReadonlyMap<string, IdOf[Kind]>;

/** Finds our ids of the processor's objects that have a record, by `scopedKey`. */
export async function findIds<Kind extends keyof IdOf>(
  em: EntityManager,
  kind: Kind,
  objects: readonly ProjectObject[],
): Promise<Ids<Kind>> {
  if (objects.length === 0) return new Map();
  const { name, processorId } = TABLES[kind];
  const found = await executeBound<{ place: number; id: IdOf[Kind] }>(
    em,
    `select wanted.place::int, recorded.id
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as wanted (team_id, project_id, processor_id, place)
       join ${name} recorded
         on recorded.${processorId} = wanted.processor_id
        and (recorded.team_id, recorded.project_id) is not distinct from (wanted.team_id, wanted.project_id)`,
    [
      objects.map(({ scope }) => scope.teamId),
      objects.map(({ scope }) => scope.projectId),
      objects.map(({ id }) => id),
    ],
  );
  return new Map(
    found.flatMap(({ place, id }) => {
      const object = objects[place - 1];
      return object ? [[scopedKey(object), id] as const] : [];
    }),
  );
}

/**
 * Does the same, and locks the objects that have no record until the transaction ends. Otherwise, if one is recorded at the
 * same time, neither transaction sees what the other one writes about it.
 */
export async function findOrLock<Kind extends keyof IdOf>(
  tx: EntityManager,
  kind: Kind,
  objects: readonly ProjectObject[],
): Promise<Ids<Kind>> {
  const found = await findIds(tx, kind, objects);
  const missing = objects.filter(object => !found.has(scopedKey(object)));
  if (missing.length === 0) return found;
  await lockAll(tx, kind, missing);
  return new Map([...found, ...(await findIds(tx, kind, missing))]);
}
