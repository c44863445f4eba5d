import { z } from 'zod';
import { ProjectId, SyncId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { optionalText } from '../text.ts';
import { timestamp } from '../timestamp.ts';

/** What a sync compares, in this order: an object comes after what it belongs to. */
export const SYNC_TYPES = ['product', 'price', 'customer', 'subscription', 'invoice'] as const;
export type SyncType = (typeof SYNC_TYPES)[number];
export const syncType = z.enum(SYNC_TYPES);

export const SYNC_STATUSES = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

export const SYNC_MODES = ['report', 'apply'] as const;
export type SyncMode = (typeof SYNC_MODES)[number];

/**
 * How an object of the processor compares with our record:
 * - `missing`: the processor has it, we do not
 * - `different`: fields differ
 * - `extra`: we have it, the processor does not, or has deleted it
 * - `conflict`: another customer has its e-mail, and is taken instead
 * - `skipped`: it does not belong to the project, or was deleted here
 */
export const FINDING_OUTCOMES = ['missing', 'different', 'extra', 'conflict', 'skipped'] as const;
export type FindingOutcome = (typeof FINDING_OUTCOMES)[number];
export const findingOutcome = z.enum(FINDING_OUTCOMES);

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

export const sync = z.object({
  id: SyncId.schema,
  projectId: ProjectId.schema,
  mode: z.enum(SYNC_MODES),
  status: z.enum(SYNC_STATUSES),
  types: z.array(syncType),
  filter: z.object({ metadata: storedMetadata, includeUnmarked: z.boolean() }),
  markAtProcessor: z.boolean(),
  /** True for the report that runs every night. */
  nightly: z.boolean(),
  progress: z.partialRecord(syncType, progress),
  counts: z.partialRecord(syncType, counts),
  error: syncError.nullable(),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
});
export type Sync = z.output<typeof sync>;

const mark = z.record(optionalText(40).min(1), optionalText(500));

export const syncCreate = z.strictObject({
  mode: z.enum(SYNC_MODES),
  types: z.array(syncType).min(1).max(SYNC_TYPES.length).optional(),
  filter: z
    .strictObject({
      metadata: mark.refine(it => Object.keys(it).length <= 10, 'At most 10 keys.').default({}),
      includeUnmarked: z.boolean().default(true),
    })
    .default({ metadata: {}, includeUnmarked: true }),
  markAtProcessor: z.boolean().default(false),
});

const shownValue = z.unknown();

/** A field that differs, with both values as JSON. */
export const fieldDifference = z.object({ field: z.string(), ours: shownValue, theirs: shownValue });
export type FieldDifference = z.output<typeof fieldDifference>;

export const syncFinding = z.object({
  type: syncType,
  processorId: z.string(),
  /** Our id; null where we have no record. */
  id: z.string().nullable(),
  outcome: findingOutcome,
  fields: z.array(fieldDifference),
  reason: z.string().nullable(),
  applied: z.boolean(),
});
export type SyncFinding = z.output<typeof syncFinding>;
