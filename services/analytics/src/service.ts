import { defineService } from '@billing/service/definition';
import { serviceEnv } from '@billing/service/env';
import { analyticsEvents } from './consumers/events.ts';
import { startRecount } from './jobs/recount.ts';
import { rebuildLock } from './persistence/rebuild-lock.ts';
import { analyticsSchema } from './persistence/schema.ts';
import { analyticsRoutes } from './routes/analytics.ts';

/** Analytics: its consumers and routes. */
export const analyticsService = () =>
  defineService({
    name: 'analytics',
    env: serviceEnv,
    database: analyticsSchema,
    parts: ({ env, em, rpc, logger, now }) => ({
      consumers: analyticsEvents(),
      jobs: [() => startRecount({ em, rpc, withRebuildLock: rebuildLock(env.DATABASE_URL, () => undefined), logger })],
      purge: {
        tables: ['revenue_periods', 'metrics', 'subscription_movements', 'tracked_records'],
        kept: ['projects'],
      },
      routes: [analyticsRoutes({ em, rpc, now })],
    }),
  });
