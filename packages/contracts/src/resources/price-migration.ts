import { z } from 'zod';
import { CustomerId, PriceId, PriceMigrationId, ProjectId, SubscriptionChangeId, SubscriptionId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { AMOUNT, storedCurrency } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { givenTime, timestamp } from '../timestamp.ts';
import { catalogKey } from './catalog-key.ts';
import { BY_KEY, type WithPriceIds } from './price-reference.ts';
import { runFields, SYNC_MODES, wantedMetadata } from './sync.ts';

/** Why a subscription is left as it is. */
export const MIGRATION_SKIP_REASONS = [
  'left_price',
  'several_items',
  'other_currency',
  'has_schedule',
  'has_scheduled_change',
  'has_pending_change',
  'set_to_cancel',
  'incomplete',
  'past_due',
  'paused',
  'ended',
] as const;
export type MigrationSkipReason = (typeof MIGRATION_SKIP_REASONS)[number];

export const MIGRATION_OUTCOMES = ['to_change', 'scheduled', 'skipped', 'failed'] as const;
export type MigrationOutcome = (typeof MIGRATION_OUTCOMES)[number];
export const migrationOutcome = z
  .enum(MIGRATION_OUTCOMES)
  .describe('`to_change`: an apply would schedule it. `scheduled`: it changes at the end of its period.');

const mode = z
  .enum(SYNC_MODES)
  .describe('A `report` changes nothing; `apply` schedules the change of each subscription.');
const filter = z.object({
  createdBefore: timestamp.nullable().describe('Only subscriptions that were created before.'),
  metadata: storedMetadata.describe('Only subscriptions whose metadata has all of these values.'),
});
const counts = z.object({ to_change: z.int(), scheduled: z.int(), skipped: z.int(), failed: z.int() });
export type MigrationCounts = z.output<typeof counts>;

export const priceMigration = z
  .object({
    id: PriceMigrationId.schema,
    projectId: ProjectId.schema,
    fromPriceId: PriceId.schema,
    toPriceId: PriceId.schema,
    mode,
    when: z.literal('period_end').describe('When subscriptions change.'),
    keepDiscounts: z.boolean().describe('Whether subscriptions keep their discounts.'),
    filter: filter.describe('Which subscriptions move.'),
    progress: z
      .object({ done: z.int(), total: z.int().nullable() })
      .describe('How many subscriptions it has looked at, and how many there are; null until they are counted.'),
    counts: counts.describe('Subscriptions by outcome.'),
    ...runFields,
  })
  .meta({
    id: 'PriceMigration',
    description: 'A move of all subscriptions of one price to another.',
    example: {
      status: 'completed',
      mode: 'report',
      keepDiscounts: true,
      filter: { createdBefore: null, metadata: {} },
      progress: { done: 120, total: 120 },
      counts: { to_change: 117, scheduled: 0, skipped: 3, failed: 0 },
      startedAt: '2026-03-02T09:30:00.000Z',
      finishedAt: '2026-03-02T09:30:00.000Z',
    },
  });
export type PriceMigration = z.output<typeof priceMigration>;

export const priceMigrationCreate = z
  .strictObject({
    fromPriceId: optional(PriceId.schema).describe('The price that subscriptions leave.'),
    fromPriceKey: optional(catalogKey).describe(`Instead of \`fromPriceId\`. ${BY_KEY}`),
    toPriceId: optional(PriceId.schema).describe('The price that they change to.'),
    toPriceKey: optional(catalogKey).describe(`Instead of \`toPriceId\`. ${BY_KEY}`),
    mode,
    when: withDefault(z.literal('period_end'), 'period_end').describe('When subscriptions change.'),
    keepDiscounts: withDefault(z.boolean(), true).describe('False removes their discounts when they change.'),
    filter: withDefault(
      z.strictObject({
        createdBefore: optional(givenTime).describe('Only subscriptions that were created before.'),
        metadata: wantedMetadata.describe('Only subscriptions whose metadata has all of these values.'),
      }),
      { metadata: {} },
    ).describe('Which subscriptions move; all of the price unless given.'),
  })
  .superRefine((it, context) => {
    for (const which of ['from', 'to'] as const)
      if ((it[`${which}PriceId`] === undefined) === (it[`${which}PriceKey`] === undefined)) {
        const message = `Expected either \`${which}PriceId\` or \`${which}PriceKey\`.`;
        context.addIssue({ code: 'custom', path: [`${which}PriceId`], message });
      }
  })
  .meta({
    id: 'PriceMigrationCreate',
    description: 'A price migration to start.',
    example: { fromPriceId: PriceId.example, toPriceId: PriceId.example, mode: 'report' },
  });
/** A price migration to start, whose prices are named by ids. */
export type PriceMigrationCreate = WithPriceIds<z.output<typeof priceMigrationCreate>>;

const monthly = (whose: string) =>
  z
    .string()
    .nullable()
    .meta({
      description: `${whose} exact monthly amount as decimal text, without discounts; null for a tiered or metered price. ${AMOUNT}`,
      example: '2999',
    });

export const migrationFinding = z
  .object({
    subscriptionId: SubscriptionId.schema,
    customerId: CustomerId.schema,
    currency: storedCurrency,
    oldAmount: monthly('Its'),
    newAmount: monthly('Its new'),
    effectiveAt: timestamp.nullable().describe('When it changes; null when it does not.'),
    outcome: migrationOutcome,
    reason: z.enum(MIGRATION_SKIP_REASONS).nullable().describe('Why it is skipped; null unless it is.'),
    error: runFields.error,
    changeId: SubscriptionChangeId.schema.nullable().describe('The change that was scheduled; null without one.'),
  })
  .meta({
    id: 'PriceMigrationFinding',
    description: 'What a price migration does to a subscription.',
    example: { outcome: 'to_change', reason: null, error: null, changeId: null },
  });
export type MigrationFinding = z.output<typeof migrationFinding>;
