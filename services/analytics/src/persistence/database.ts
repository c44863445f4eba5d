import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { Metric } from './metric.entity.ts';
import { CreateAnalytics } from './migrations/0001-create-analytics.ts';
import { Project } from './project.entity.ts';
import { RevenuePeriods } from './revenue-periods.entity.ts';
import { TrackedRecord } from './tracked-record.entity.ts';

/** The schema of analytics; connects at the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'analytics',
    url,
    entities: [...messagingEntities, Metric, Project, RevenuePeriods, TrackedRecord],
    migrations: [...messagingMigrations, { name: '0001-create-analytics', class: CreateAnalytics }],
  });
}
