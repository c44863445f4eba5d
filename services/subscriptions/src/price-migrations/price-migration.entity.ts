import { defineEntity, p } from '@mikro-orm/postgresql';
import type {
  CustomerId,
  PriceId,
  PriceMigrationId,
  ProjectId,
  SubscriptionChangeId,
  SubscriptionId,
  TeamId,
} from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type {
  MigrationCounts,
  MigrationOutcome,
  MigrationSkipReason,
} from '@billing/contracts/resources/price-migration';
import type { SyncError } from '@billing/contracts/resources/sync';
import { turnColumns } from '@billing/processor/turn-columns';

/** Which subscriptions a migration moves, in JSON. */
interface StoredFilter {
  readonly createdBefore: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** `find`: subscriptions are decided on, by their records. `apply`: those that are to change are changed. */
type MigrationPhase = 'find' | 'apply';

const PriceMigrationSchema = defineEntity({
  name: 'PriceMigration',
  tableName: 'price_migrations',
  uniques: [
    {
      name: 'price_migrations_one_per_project',
      properties: ['teamId', 'projectId'],
      where: `status in ('queued', 'running')`,
    },
  ],
  indexes: [
    { name: 'price_migrations_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'price_migrations_due', properties: ['teamId', 'dueAt'], where: 'due_at is not null' },
  ],
  properties: {
    id: p.text().$type<PriceMigrationId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    ...turnColumns(),
    fromPriceId: p.text().$type<PriceId>(),
    toPriceId: p.text().$type<PriceId>(),
    fromProcessorPriceId: p.text(),
    toProcessorPriceId: p.text(),
    keepDiscounts: p.boolean(),
    filter: p.json<StoredFilter>(),
    /** Who has started it: the changes are theirs. */
    context: p.json<AuditContext>(),
    /** Where it is. */
    phase: p.text().$type<MigrationPhase>(),
    /** The subscription that the page before ended with. */
    after: p.text().$type<SubscriptionId>().strictNullable(),
    /** Once it is completed, or its findings are deleted; until then these are counted. */
    counts: p.json<MigrationCounts>().strictNullable(),
  },
});

/** A move of the subscriptions of one price to another one. */
export class PriceMigration extends PriceMigrationSchema.class {}
PriceMigrationSchema.setClass(PriceMigration);

const MigratedSubscriptionSchema = defineEntity({
  name: 'MigratedSubscription',
  tableName: 'migrated_subscriptions',
  indexes: [
    { name: 'migrated_subscriptions_newest', properties: ['migrationId', 'createdAt', 'subscriptionId'] },
    {
      name: 'migrated_subscriptions_to_change',
      properties: ['migrationId', 'attempts', 'subscriptionId'],
      where: `outcome = 'to_change'`,
    },
    { name: 'migrated_subscriptions_team', properties: ['teamId'] },
  ],
  properties: {
    migrationId: p.text().$type<PriceMigrationId>().primary(),
    subscriptionId: p.text().$type<SubscriptionId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    currency: p.text(),
    /** A month, as decimal text. */
    oldAmount: p.text().strictNullable(),
    newAmount: p.text().strictNullable(),
    effectiveAt: p.datetime().strictNullable(),
    outcome: p.text().$type<MigrationOutcome>(),
    reason: p.text().$type<MigrationSkipReason>().strictNullable(),
    error: p.json<SyncError>().strictNullable(),
    changeId: p.text().$type<SubscriptionChangeId>().strictNullable(),
    /** How often it could not be changed for a reason that passes. */
    attempts: p.integer(),
    /** Of the subscription. */
    createdAt: p.datetime(),
  },
});

/** What a migration does to a subscription. */
export class MigratedSubscription extends MigratedSubscriptionSchema.class {}
MigratedSubscriptionSchema.setClass(MigratedSubscription);
