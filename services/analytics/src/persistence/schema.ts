import { Metric } from './metric.entity.ts';
import { CreateAnalytics } from './migrations/0001-create-analytics.ts';
import { Project } from './project.entity.ts';
import { SubscriptionMovement } from './subscription-movement.entity.ts';
import { TrackedRecord } from './tracked-record.entity.ts';

/** The tables of analytics; `subscription_points` and `webhook_event_counts`, which have no entity, are read and written by SQL alone. */
export const analyticsSchema = {
  entities: [Metric, Project, SubscriptionMovement, TrackedRecord],
  migrations: [{ name: '0001-create-analytics', class: CreateAnalytics }],
};
