import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';

/** A thing of the processor that may have no row yet, so that a row lock would hold nothing. */
type Thing = 'price' | 'subscription' | 'invoice' | 'payment';

/*
 * Transactions take locks in the order price, subscription, invoice or payment; so none waits in a circle.
 */

/** Has one transaction at a time work on a thing of the processor, known here or not, until it commits. */
export async function lock(tx: EntityManager, scope: ProjectScope, thing: Thing, processorId: string): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [nameOf(scope, thing, processorId)]);
}

/** Like `lock`, for many things of one kind. */
export async function lockAll(
  tx: EntityManager,
  thing: Thing,
  things: readonly { readonly scope: ProjectScope; readonly processorId: string }[],
): Promise<void> {
  const names = new Set(things.map(({ scope, processorId }) => nameOf(scope, thing, processorId)));
  // Transactions that lock many take them in the same order.
  await executeBound(tx, `select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name`, [
    [...names].toSorted(),
  ]);
}

/** Like `lock`, but side by side with others that share it. */
export async function lockShared(
  tx: EntityManager,
  scope: ProjectScope,
  thing: Thing,
  processorId: string,
): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock_shared(hashtextextended(?, 0))`, [nameOf(scope, thing, processorId)]);
}

const nameOf = ({ teamId, projectId }: ProjectScope, thing: Thing, processorId: string) =>
  `${teamId}/${projectId}/${thing}/${processorId}`;
