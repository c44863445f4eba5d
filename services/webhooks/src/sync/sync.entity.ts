import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { FindingType, SyncCounts, SyncKind, SyncType } from '@billing/contracts/resources/sync';
import { turnColumns } from '@billing/processor/turn-columns';
import type { SyncFilter } from './sync-decision.rules.ts';
import type { CatalogPhase } from '#catalog/writes.rules';
import type { SyncPhase } from './sync-stage.rules.ts';

const SyncSchema = defineEntity({
  name: 'Sync',
  tableName: 'syncs',
  uniques: [{ name: 'syncs_one_per_team', properties: ['teamId'], where: `status in ('queued', 'running')` }],
  indexes: [
    { name: 'syncs_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'syncs_due', properties: ['dueAt'], where: 'due_at is not null' },
  ],
  properties: {
    id: p.text().$type<SyncId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    // An older copy of the service, beside this one, names no kind.
    kind: p.text().$type<SyncKind>().default('account'),
    ...turnColumns(),
    types: p.array<FindingType>(value => value as FindingType), // the column holds nothing else
    filter: p.json<SyncFilter>(),
    markAtProcessor: p.boolean(),
    /** The report that runs every night gives way to a sync that somebody starts. */
    nightly: p.boolean(),
    /** Where it is. */
    type: p.text().$type<SyncType>(),
    phase: p.text().$type<SyncPhase | CatalogPhase>(),
    after: p.text().strictNullable(),
    /** Once it has ended; until then the objects are counted. */
    counts: p.json<Partial<Record<FindingType, SyncCounts>>>().strictNullable(),
  },
});

/** A comparison of a team's account at Stripe, or of a document of the catalog, with the records of a project. */
export class Sync extends SyncSchema.class {}
SyncSchema.setClass(Sync);

/**
 * How far a sync is with an object:
 * - `suspect`: it differs, or is a record that no page had, and is compared again when `due_at` comes
 * - `confirmed`: it differs
 * - `applying`: a row of `webhook_events` has it recorded by the owning service
 * - `done`
 */
export type SyncObjectState = 'suspect' | 'confirmed' | 'applying' | 'done';
