import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';

const SubscriptionMovementSchema = defineEntity({
  name: 'SubscriptionMovement',
  tableName: 'subscription_movements',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    generation: p.integer().primary(),
    /** The metric of the movement that it is a part of. */
    metric: p.text().primary(),
    day: p.text().primary(),
    subscriptionId: p.text().$type<SubscriptionId>().primary(),
    /** A whole number of any size; 0 when a late version took the movement away. */
    amount: p.decimal().columnType('numeric'),
  },
});

/** What one subscription adds to a movement of revenue on a day: the metric is the sum of these. */
export class SubscriptionMovement extends SubscriptionMovementSchema.class {}
SubscriptionMovementSchema.setClass(SubscriptionMovement);
