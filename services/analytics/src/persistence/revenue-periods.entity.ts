import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';

const RevenuePeriodsSchema = defineEntity({
  name: 'RevenuePeriods',
  tableName: 'revenue_periods',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    subscriptionId: p.text().$type<SubscriptionId>().primary(),
    periods: p.json<unknown>(),
  },
});

/**
 * The revenue of one subscription over its versions. No other service stores past revenue, so these rows are a source of
 * the read model and a rebuild keeps them.
 */
export class RevenuePeriods extends RevenuePeriodsSchema.class {}
RevenuePeriodsSchema.setClass(RevenuePeriods);
