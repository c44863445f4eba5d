import { defineService } from '@billing/service/definition';
import { keyFrom } from '#domain/token.ts';
import { createApp } from './app.ts';
import { customerEvents } from './consumers/customer-events.ts';
import { portalEnv } from './env.ts';
import { forgetOffers } from './jobs/forget-offers.ts';
import { deleteExpiredSessions } from './jobs/delete-expired-sessions.ts';
import { portalConfigRpc } from './rpc/portal-config.ts';
import { portalSchema } from './persistence/schema.ts';

/** The parts of the portal; the chassis runs them. */
export const portalService = () =>
  defineService({
    name: 'portal',
    env: portalEnv,
    database: portalSchema,
    parts: ({ env, em, outbox, rpc, processors, now, logger }) => ({
      consumers: [customerEvents()],
      rpc: portalConfigRpc({ em, outbox, rpc, now }),
      cleaning: [() => deleteExpiredSessions(em)],
      purge: { tables: ['portal_sessions'], kept: ['portal_configs'], remove: forgetOffers },
      createApp: http =>
        createApp(http, {
          em,
          outbox,
          rpc,
          processors,
          publicUrl: env.PUBLIC_URL,
          tokenKey: keyFrom(env.SERVICE_KEY, 'portal-token'),
          draftKey: keyFrom(env.SERVICE_KEY, 'portal-draft'),
          processorBaseUrl: env.STRIPE_API_BASE_URL,
          now,
          logger,
        }),
    }),
  });
