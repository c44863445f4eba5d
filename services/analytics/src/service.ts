import { defineService } from '@billing/service/definition';
import { serviceEnv } from '@billing/service/env';
import { analyticsEvents } from './consumers/events.ts';
import { analyticsSchema } from './persistence/schema.ts';
import { analyticsRoutes } from './routes/analytics.ts';

/** Analytics: its consumers and routes. */
export const analyticsService = () =>
  defineService({
    name: 'analytics',
    env: serviceEnv,
    database: analyticsSchema,
    parts: ({ em, rpc, now }) => ({
      consumers: analyticsEvents(),
      purge: {
        tables: ['metrics', 'subscription_movements', 'subscription_points', 'tracked_records', 'webhook_event_counts'],
        kept: ['projects'],
      },
      routes: [analyticsRoutes({ em, rpc, now })],
    }),
  });
