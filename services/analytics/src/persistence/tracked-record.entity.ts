import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { RecordKind } from '#domain/observation.ts';

/** The project id of a webhook event that was not routed to any project. */
export const NO_PROJECT = '';
export type ProjectIdOrNone = ProjectId | typeof NO_PROJECT;

const TrackedRecordSchema = defineEntity({
  name: 'TrackedRecord',
  tableName: 'tracked_records',
  indexes: [
    {
      name: 'tracked_records_started',
      properties: ['teamId', 'projectId', 'generation', 'startedAt', 'endedAt'],
      where: 'started_at is not null',
    },
    {
      name: 'tracked_records_ended',
      properties: ['teamId', 'projectId', 'generation', 'endedAt', 'startedAt'],
      where: 'ended_at is not null',
    },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    kind: p.text().$type<RecordKind>().primary(),
    id: p.text().primary(),
    projectId: p.text().$type<ProjectIdOrNone>().primary(),
    generation: p.integer().primary(),
    /** The version of the newest observed state. */
    version: p.integer(),
    /** What the metrics include of this record: a list of `[metric, bucket, amount]`; no statement looks inside. */
    contributions: p.json<unknown>().columnType('json'),
    /** Set for activated subscriptions only. */
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

/** A customer, subscription, webhook event, referral code or referral: its newest observed state, as contributions. */
export class TrackedRecord extends TrackedRecordSchema.class {}
TrackedRecordSchema.setClass(TrackedRecord);
