import { z } from 'zod';
import { CustomerId, PriceId, ProjectId, SyncId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { storedMetadata } from '../metadata.ts';
import { optionalText } from '../text.ts';
import { createdAt, timestamp } from '../timestamp.ts';

/** What a sync compares, in this order: an object comes after what it belongs to. */
export const SYNC_TYPES = [
  'product',
  'price',
  'coupon',
  'customer',
  'promotion_code',
  'subscription',
  'invoice',
  'payment',
] as const;
export type SyncType = (typeof SYNC_TYPES)[number];
export const syncType = z.enum(SYNC_TYPES);

/** What a sync compares: the account at the processor, or a document of the catalog. */
export const SYNC_KINDS = ['account', 'catalog'] as const;
export type SyncKind = (typeof SYNC_KINDS)[number];

/** What a document of the catalog has, in the order in which it is applied. */
export const CATALOG_TYPES = ['feature', 'product', 'price', 'coupon', 'promotion_code', 'portal', 'settings'] as const;
export type CatalogType = (typeof CATALOG_TYPES)[number];
export const findingType = z.enum([...SYNC_TYPES, 'feature', 'portal', 'settings']);
export type FindingType = z.output<typeof findingType>;

/** What an apply does with an item of the catalog. */
export const CATALOG_ACTIONS = ['create', 'update', 'replace', 'archive', 'none'] as const;
export type CatalogAction = (typeof CATALOG_ACTIONS)[number];

export const SYNC_STATUSES = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export const SYNC_MODES = ['report', 'apply'] as const;
export type SyncMode = (typeof SYNC_MODES)[number];

/** How an object of the processor compares with our record. */
const FINDING_OUTCOMES = ['missing', 'different', 'extra', 'conflict', 'skipped'] as const;
export type FindingOutcome = (typeof FINDING_OUTCOMES)[number];
export const findingOutcome = z
  .enum(FINDING_OUTCOMES)
  .describe(
    '`missing`: not recorded. `different`: fields differ. `extra`: recorded, but not at the processor. `conflict`: another customer with its e-mail is taken, or the catalog cannot be changed like that; the reason says why. `skipped`: not of this project, or deleted here.',
  );

const counts = z.object({
  same: z.int(),
  missing: z.int(),
  different: z.int(),
  extra: z.int(),
  conflict: z.int(),
  skipped: z.int(),
  applied: z.int(),
});
export type SyncCounts = z.output<typeof counts>;

const progress = z.object({ read: z.int(), total: z.int().nullable() });

export const syncError = z.object({ code: z.string(), message: z.string() });
export type SyncError = z.output<typeof syncError>;

/** What every long work on the server has, be it a sync or a price migration. */
export const runFields = {
  status: z.enum(SYNC_STATUSES).describe('How far it is.'),
  error: syncError.nullable().describe('Why it failed; null unless it did.'),
  createdAt,
  startedAt: timestamp.nullable().describe('Null while it is queued.'),
  finishedAt: timestamp.nullable().describe('Null until it has ended.'),
};

/** Which metadata an object must have to be taken. */
export const wantedMetadata = withDefault(
  z.record(optionalText(40).min(1), optionalText(500)).refine(it => Object.keys(it).length <= 10, 'At most 10 keys.'),
  {},
);

const mode = z.enum(SYNC_MODES).describe('A `report` changes nothing; `apply` makes the records equal to the account.');

export const sync = z
  .object({
    id: SyncId.schema,
    projectId: ProjectId.schema,
    kind: z
      .enum(SYNC_KINDS)
      .describe('`account`: with the account at the payment processor. `catalog`: with a document.'),
    catalog: z
      .object({
        prune: z.boolean().describe('Whether what the document lacks is archived.'),
        adopt: z.boolean().describe('Whether what has no key yet, and is the same, gets it.'),
        reportId: SyncId.schema.nullable().describe('The report whose findings are applied.'),
      })
      .nullable()
      .describe('What a comparison with a document does; null for one with the account.'),
    mode,
    types: z.array(findingType).describe('What it compares.'),
    filter: z
      .object({ metadata: storedMetadata, includeUnmarked: z.boolean() })
      .describe('Which objects belong to the project.'),
    markAtProcessor: z.boolean().describe('Whether it writes the ids of the records into metadata there.'),
    nightly: z.boolean().describe('True for the report that runs every night.'),
    progress: z
      .partialRecord(findingType, progress)
      .describe('Per type: objects read, and the total once all are read.'),
    counts: z.partialRecord(findingType, counts).describe('Per type: objects by outcome, and how many were applied.'),
    ...runFields,
  })
  .meta({
    id: 'Sync',
    description: 'A comparison of the payment processor’s account with the records of a project.',
    example: {
      status: 'completed',
      kind: 'account',
      catalog: null,
      types: SYNC_TYPES,
      filter: { metadata: {}, includeUnmarked: true },
      progress: { customer: { read: 815, total: 815 } },
      counts: { customer: { same: 812, missing: 1, different: 1, extra: 0, conflict: 1, skipped: 0, applied: 0 } },
      startedAt: '2026-03-02T09:30:00.000Z',
      finishedAt: '2026-03-02T09:30:00.000Z',
    },
  });
export type Sync = z.output<typeof sync>;

export const syncCreate = z
  .strictObject({
    mode,
    types: optional(z.array(syncType).min(1).max(SYNC_TYPES.length)).describe(
      'What to compare; everything unless given. Payments are the charges of the last 400 days.',
    ),
    filter: withDefault(z.strictObject({ metadata: wantedMetadata, includeUnmarked: optional(z.boolean()) }), {
      metadata: {},
    }).describe(
      'Takes objects whose metadata has all of these values, and with `includeUnmarked` those with none of these keys; others are skipped as foreign. Unless given, it is true with a session. An API key needs `metadata`, and may not include unmarked objects: the account has those of other projects too.',
    ),
    markAtProcessor: withDefault(z.boolean(), false).describe(
      'Writes the ids of the records into the metadata of the objects that were taken.',
    ),
  })
  .meta({ id: 'SyncCreate', description: 'A sync to start.' });

const shownValue = z.unknown();

/** A field that differs, with both values as JSON. */
export const fieldDifference = z.object({ field: z.string(), ours: shownValue, theirs: shownValue });
export type FieldDifference = z.output<typeof fieldDifference>;

const belongsTo = z.object({
  type: z.enum(['product', 'coupon', 'customer']),
  processorId: z.string().describe('Its id at the payment processor.'),
  id: z.string().nullable().describe('The id of its record, where the sync has found one.'),
  name: z.string().nullable().describe('Its name or e-mail address, where the sync has read them.'),
});

export const syncFinding = z
  .object({
    type: findingType.describe('The type of the object.'),
    processorId: z
      .string()
      .nullable()
      .describe('The id of the object at the payment processor; null in a comparison with a document.'),
    id: z.string().nullable().describe('The id of the record; null where there is none.'),
    name: z
      .string()
      .nullable()
      .describe(
        'The name of a product, coupon or customer, else the e-mail address; the nickname of a price, the text of a promotion code, the number of an invoice. Null where there is none, and for what belongs to another project.',
      ),
    belongsTo: belongsTo
      .nullable()
      .describe(
        'The product of a price, the coupon of a promotion code, or the customer; null where there is none, and for what the processor no longer has.',
      ),
    outcome: findingOutcome,
    fields: z.array(fieldDifference).describe('The fields that differ, with both values.'),
    reason: z.string().nullable().describe('Why it is skipped, in conflict, or was not applied.'),
    applied: z.boolean().describe('Whether the record is equal to the object now.'),
    key: z.string().nullable().describe('Its key in the document; null in a comparison with the account.'),
    action: z
      .enum(CATALOG_ACTIONS)
      .nullable()
      .describe('What an apply of the document does; null in a comparison with the account.'),
    liveSubscriptions: z
      .int()
      .nullable()
      .describe('Of a price that is replaced or archived: how many subscriptions stay on it; else null.'),
    migration: z
      .object({ fromPriceId: PriceId.schema, toPriceKey: z.string() })
      .nullable()
      .describe('Of a price that is replaced: what moves its subscriptions, for `POST …/price-migrations`; else null.'),
  })
  .meta({
    id: 'SyncFinding',
    description: 'An object of the payment processor that differs from the record of it.',
    example: {
      type: 'customer',
      processorId: 'cus_U2bR1mXq7PzT4s',
      id: CustomerId.example,
      name: 'Ada Lovelace',
      belongsTo: null,
      outcome: 'different',
      fields: [{ field: 'name', ours: 'Ada', theirs: 'Ada Lovelace' }],
      reason: null,
      key: null,
      action: null,
      liveSubscriptions: null,
      migration: null,
    },
  });
export type SyncFinding = z.output<typeof syncFinding>;
