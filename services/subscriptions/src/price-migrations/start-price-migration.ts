import { randomUUID } from 'node:crypto';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { PriceMigrationId, type ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type {
  PriceMigration as PriceMigrationResource,
  PriceMigrationCreate,
} from '@billing/contracts/resources/price-migration';
import { executeBound } from '@billing/database/bound-statement';
import { changesOf, recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import { requireSellable } from '#checkout/purchase.rules';
import { PriceCopy } from '#copies/catalog-copies.entity';
import { findOffer } from '#copies/find-offer';
import type { Dependencies } from '../dependencies.ts';
import { PriceMigration } from './price-migration.entity.ts';
import { describeMigration, findPriceMigration } from './find-price-migrations.ts';

/**
 * Queues a migration of the subscriptions of one price to another one; a project has one at a time. The same operation key gives
 * the same migration.
 * @throws Problem 404 `price_not_found`; 422 `no_change`, `price_inactive`, `product_inactive`, `price_type_mismatch`; 409
 * `price_migration_running`, `processor_not_connected`
 */
export function startPriceMigration(dependencies: Pick<Dependencies, 'outbox' | 'em' | 'rpc' | 'processors'>) {
  const { outbox, em, processors } = dependencies;
  const offerOf = findOffer(dependencies);

  return async (
    { teamId, projectId }: ProjectScope,
    wanted: PriceMigrationCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<PriceMigrationResource> => {
    const id = derivedId(PriceMigrationId, operationKey, 'price-migration');
    const find = (reader: EntityManager) => reader.findOne(PriceMigration, { id, teamId, projectId });
    const existing = await find(em.fork());
    if (existing) return describeMigration(em.fork(), existing);
    await processors.of(teamId);
    const prices = await findPrices({ teamId, projectId }, wanted);
    const { fromPriceId, toPriceId, mode, keepDiscounts, filter } = wanted;
    return outbox.transaction(async (tx, publish) => {
      const row = { id, teamId, projectId, fromPriceId, toPriceId, ...prices, mode, keepDiscounts, context };
      const stored = { createdBefore: filter.createdBefore?.toISOString() ?? null, metadata: filter.metadata };
      const isNew = await insert(tx, { ...row, filter: stored });
      const migration = await find(tx);
      if (!migration) {
        const message = 'A price migration of this project is queued or running; wait for it, or cancel it.';
        throw conflict('price_migration_running', message, 5);
      }
      const changes = changesOf(null, { fromPriceId, toPriceId, mode });
      if (isNew) recordAudit(publish, teamId, context, { target: { type: 'price_migration', id }, changes });
      return describeMigration(tx, migration);
    });
  };

  /** Subscriptions may have a price that was archived or deleted. */
  async function findPrices(scope: ProjectScope, { fromPriceId, toPriceId }: PriceMigrationCreate) {
    const [, to] = [await offerOf(scope, fromPriceId), await offerOf(scope, toPriceId)];
    const from = await em.fork().findOne(PriceCopy, { ...scope, id: fromPriceId });
    if (!from || !to) throw notFound('price');
    if (fromPriceId === toPriceId) throw unprocessable('no_change', 'The two prices are the same.');
    if (from.type !== 'recurring') throw unprocessable('price_type_mismatch', 'No subscription has a one-time price.');
    requireSellable(to, 'subscription');
    return { fromProcessorPriceId: from.processorPriceId, toProcessorPriceId: to.price.processorPriceId };
  }
}

type NewMigration = Pick<
  PriceMigration,
  | 'id'
  | 'teamId'
  | 'projectId'
  | 'fromPriceId'
  | 'toPriceId'
  | 'fromProcessorPriceId'
  | 'toProcessorPriceId'
  | 'mode'
  | 'keepDiscounts'
  | 'filter'
  | 'context'
>;

/** Inserts a migration unless one of the project is queued or running; returns whether it did. */
async function insert(tx: EntityManager, migration: NewMigration): Promise<boolean> {
  const { id, teamId, projectId, fromPriceId, toPriceId, mode, keepDiscounts, filter, context } = migration;
  const inserted = await executeBound(
    tx,
    `insert into price_migrations
            (id, team_id, project_id, from_price_id, to_price_id, from_processor_price_id, to_processor_price_id, mode,
             status, keep_discounts, filter, context, phase, created_at, due_at, failures)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 'queued', $9, $10::jsonb, $11::jsonb, 'find', now(), now(), 0)
     on conflict do nothing returning 1`,
    [
      id,
      teamId,
      projectId,
      fromPriceId,
      toPriceId,
      migration.fromProcessorPriceId,
      migration.toProcessorPriceId,
      mode,
      keepDiscounts,
      JSON.stringify(filter),
      JSON.stringify(context),
    ],
  );
  return inserted.length > 0;
}

/**
 * Stops a migration: the process that works on it loses its lease and ends after the changes under way. What it has scheduled
 * stays. One that has ended stays as it is.
 * @throws Problem 404
 */
export function cancelPriceMigration({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) {
  return async (scope: ProjectScope, id: PriceMigrationId, context: AuditContext): Promise<PriceMigrationResource> => {
    const canceled = await outbox.transaction(async (tx, publish) => {
      const migration = await findPriceMigration(tx, scope, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const { status } = migration;
      const isOpen = status === 'queued' || status === 'running';
      if (isOpen) tx.assign(migration, { status: 'canceled', finishedAt: now(), dueAt: null, leaseId: null });
      await tx.flush();
      const changes = changesOf({ status }, { status: migration.status });
      recordAudit(publish, scope.teamId, context, { target: { type: 'price_migration', id }, changes });
      return migration;
    });
    // Counts, without the lock.
    return describeMigration(outbox.em.fork(), canceled);
  };
}
