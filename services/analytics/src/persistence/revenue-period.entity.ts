import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { Phase } from '#domain/contributions.ts';
import type { TrialEvidence } from '#domain/trials.ts';

const RevenuePeriodSchema = defineEntity({
  name: 'RevenuePeriod',
  tableName: 'revenue_periods',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    subscriptionId: p.text().$type<SubscriptionId>().primary(),
    firstVersion: p.integer().primary(),
    lastVersion: p.integer(),
    /** When the first version was recorded, and when the subscription started and ended according to it. */
    recordedAt: p.datetime(),
    startedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    phase: p.text().$type<Phase>(),
    /** What the versions say about the subscription's trial; null when nothing, or nobody looked. */
    trial: p.text().$type<Exclude<TrialEvidence, 'none'>>().nullable(),
    /** A list of `[currency, divisor, numerator]`. Kept as text, since no statement looks inside. */
    revenue: p.json<unknown>().columnType('json'),
    /** What a canceled subscription was worth before, as `revenue`; null for any other, and when nobody looked. */
    formerRevenue: p.json<unknown>().columnType('json').nullable(),
  },
});

/**
 * Consecutive versions of a subscription with the same revenue in the same phase. No other service stores past revenue, so these rows are a
 * source of the read model and a rebuild keeps them.
 */
export class RevenuePeriod extends RevenuePeriodSchema.class {}
RevenuePeriodSchema.setClass(RevenuePeriod);
