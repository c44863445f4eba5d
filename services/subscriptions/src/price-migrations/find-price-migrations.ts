import type { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { PriceMigrationId, ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import {
  migrationFinding,
  type MigrationOutcome,
  type PriceMigration as PriceMigrationResource,
} from '@billing/contracts/resources/price-migration';
import { findNewest } from '@billing/database/find-newest';
import { countMigrated } from './migrated-subscriptions.ts';
import { MigratedSubscription, PriceMigration } from './price-migration.entity.ts';

/**
 * Finds a price migration of the project.
 * @throws Problem 404
 */
export async function findPriceMigration(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: PriceMigrationId,
  options: { readonly lockMode?: LockMode } = {},
): Promise<PriceMigration> {
  const failHandler = () => notFound('price_migration');
  return em.findOneOrFail(PriceMigration, { id, teamId, projectId }, { ...options, failHandler });
}

/** Returns a migration as callers see it; what one that goes on has done so far is counted. */
export async function describeMigration(em: EntityManager, migration: PriceMigration): Promise<PriceMigrationResource> {
  const { id, projectId, fromPriceId, toPriceId, mode, status, keepDiscounts, phase, error } = migration;
  const counts = migration.counts ?? (await countMigrated(em, migration));
  const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const isFound = phase === 'apply' || status === 'completed';
  const done = mode === 'report' ? found : isFound ? found - counts.to_change : 0;
  const { createdAt, startedAt, finishedAt } = migration;
  const { createdBefore, metadata } = migration.filter;
  const filter = { createdBefore: createdBefore === null ? null : new Date(createdBefore), metadata: { ...metadata } };
  const wanted = { fromPriceId, toPriceId, mode, when: 'period_end' as const, keepDiscounts, filter };
  const progress = { done, total: isFound ? found : null };
  return { id, projectId, status, ...wanted, progress, counts, error, createdAt, startedAt, finishedAt };
}

/** Lists a project's price migrations, newest first. */
export async function listPriceMigrations(em: EntityManager, { teamId, projectId }: ProjectScope, page: Page) {
  const fork = em.fork();
  const [rows, pagination] = await findNewest(fork, PriceMigration, { teamId, projectId }, page);
  const priceMigrations: PriceMigrationResource[] = [];
  // One after the other, for each may take a connection.
  for (const row of rows) priceMigrations.push(await describeMigration(fork, row));
  return { priceMigrations, pagination };
}

/** Lists what a migration does to each subscription, the newest subscription first. */
export async function listMigrationFindings(
  em: EntityManager,
  { id: migrationId, teamId, projectId }: Pick<PriceMigration, 'id' | 'teamId' | 'projectId'>,
  { outcome, ...page }: Page & { readonly outcome?: MigrationOutcome | undefined },
) {
  const conditions = { migrationId, teamId, projectId, outcome };
  const [rows, pagination] = await findNewest(em.fork(), MigratedSubscription, conditions, page, {
    ids: ['subscriptionId'],
  });
  return { findings: rows.map(row => fieldsOf(migrationFinding, row)), pagination };
}
