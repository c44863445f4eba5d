import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { CancellationReason } from '@billing/contracts/resources/cancellation';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { RecordKind } from '#domain/record-state.ts';

const TrackedRecordSchema = defineEntity({
  name: 'TrackedRecord',
  tableName: 'tracked_records',
  indexes: [
    {
      name: 'tracked_records_live',
      properties: ['teamId', 'projectId', 'generation', 'liveMetric', 'createdAt', 'id'],
      where: 'live_metric is not null',
    },
    {
      name: 'tracked_records_customer',
      properties: ['teamId', 'projectId', 'generation', 'customerId'],
      where: 'customer_id is not null',
    },
    {
      name: 'tracked_records_ended',
      properties: ['teamId', 'projectId', 'generation', 'endedAt', 'id'],
      where: 'ended_at is not null',
    },
    {
      name: 'tracked_records_trial_ended',
      properties: ['teamId', 'projectId', 'generation', 'trialEndedAt', 'id'],
      where: 'trial_ended_at is not null',
    },
    {
      name: 'tracked_records_canceled',
      properties: ['teamId', 'projectId', 'generation', 'canceledAt', 'id'],
      where: 'canceled_at is not null',
    },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    generation: p.integer().primary(),
    kind: p.text().$type<RecordKind>().primary(),
    id: p.text().primary(),
    /** The version of the newest state. */
    version: p.integer(),
    /** What the metrics include of this record: a list of `[metric, bucket, amount]`. */
    contributions: p.json<unknown>().columnType('json'),
    /** The part of a subscription's newest state that is counted; null for other kinds. */
    subscription: p.json<unknown>().columnType('json').nullable(),
    /** The points with which a later state of a subscription is counted on; null after its end. */
    recent: p.json<unknown>().columnType('json').nullable(),
    /** What lists show of a subscription; this and the fields below are null for other kinds. */
    customerId: p.text().$type<CustomerId>().nullable(),
    status: p.text().$type<SubscriptionStatus>().nullable(),
    /** Null without items. */
    currency: p.text().nullable(),
    /** Monthly face value as decimal text, in minor units. */
    amount: p.text().nullable(),
    /** The metric in which it counts while active or trialing. */
    liveMetric: p.text().nullable(),
    createdAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When the trial of a subscription ended, and whether it converted; null while it lasts, and without one. */
    trialEndedAt: p.datetime().nullable(),
    trialConverted: p.boolean().nullable(),
    /** When the end of a subscription was requested, and why; null when that was taken back. */
    canceledAt: p.datetime().nullable(),
    cancelReason: p.text().$type<CancellationReason>().nullable(),
  },
});

/** A customer, subscription, referral code or referral: its newest state, as contributions. */
export class TrackedRecord extends TrackedRecordSchema.class {}
TrackedRecordSchema.setClass(TrackedRecord);
