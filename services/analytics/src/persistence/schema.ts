import { Metric } from './metric.entity.ts';
import { CreateAnalytics } from './migrations/0001-create-analytics.ts';
import { FollowLives } from './migrations/0002-follow-lives.ts';
import { EstimatedHistory } from './migrations/0003-estimated-history.ts';
import { ReactivatedRevenue } from './migrations/0004-reactivated-revenue.ts';
import { SubscriptionMovements } from './migrations/0005-subscription-movements.ts';
import { TrialConversion } from './migrations/0006-trial-conversion.ts';
import { FormerRevenue } from './migrations/0007-former-revenue.ts';
import { Project } from './project.entity.ts';
import { RevenuePeriod } from './revenue-period.entity.ts';
import { SubscriptionMovement } from './subscription-movement.entity.ts';
import { TrackedRecord } from './tracked-record.entity.ts';

/** The tables of analytics. */
export const analyticsSchema = {
  entities: [Metric, Project, RevenuePeriod, SubscriptionMovement, TrackedRecord],
  migrations: [
    { name: '0001-create-analytics', class: CreateAnalytics },
    { name: '0002-follow-lives', class: FollowLives },
    { name: '0003-estimated-history', class: EstimatedHistory },
    { name: '0004-reactivated-revenue', class: ReactivatedRevenue },
    { name: '0005-subscription-movements', class: SubscriptionMovements },
    { name: '0006-trial-conversion', class: TrialConversion },
    { name: '0007-former-revenue', class: FormerRevenue },
  ],
};
