import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Routes } from '@billing/service/definition';
import { stateOperations as operations } from '@billing/contracts/operations/state';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import { serve } from '@billing/service/serve';
import { endOfWait } from '@billing/service/waiting-requests';
import { followCheckout } from '#checkout/follow-checkout';
import type { Dependencies } from '../dependencies.ts';
import { checkFeature, readState } from './read-state.ts';

/** A reader may go on with what it has for a day while this service does not respond. */
const CACHE_CONTROL = 'private, max-age=0, stale-if-error=86400';

type Waiting = z.output<typeof operations.getCustomerState.query>;

/** What customers may use. */
export function stateRoutes(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'now'>): Routes {
  const closing = new AbortController();
  const read = readState(dependencies, followCheckout(dependencies));
  const readOne = checkFeature(dependencies);
  /** What to read, and what ends the wait for it. */
  const wantedOf = ({ waitMs, ...query }: Waiting, reply: FastifyReply) => ({
    ...query,
    ...(waitMs > 0 && { openEnd: () => endOfWait(reply, waitMs, closing.signal) }),
  });
  const options = {
    caching: {
      cacheControl: CACHE_CONTROL,
      tagOf: ({ state }: { readonly state: CustomerState }) => tagOf(state),
    },
    placeOf: ({ checkoutSession }: { readonly checkoutSession?: string | undefined }) =>
      checkoutSession === undefined ? ('reads' as const) : null,
  };
  return app => {
    // Requests that wait for a checkout get their response before the service closes.
    app.addHook('preClose', async () => closing.abort());
    serve(
      app,
      operations.getCustomerState,
      async ({ params: { customerId: id, ...scope }, query, reply }) => ({
        state: await read(scope, { id }, wantedOf(query, reply)),
      }),
      options,
    );
    serve(
      app,
      operations.getExternalCustomerState,
      async ({ params: { externalId, ...scope }, query, reply }) => ({
        state: await read(scope, { externalId }, wantedOf(query, reply)),
      }),
      options,
    );
    serve(app, operations.getCustomerFeature, ({ params: { customerId: id, featureKey, ...scope } }) =>
      readOne(scope, { id }, featureKey),
    );
    serve(app, operations.getExternalCustomerFeature, ({ params: { externalId, featureKey, ...scope } }) =>
      readOne(scope, { externalId }, featureKey),
    );
  };
}

/** Returns a strong tag of a state: two states with the same one differ at most in when they were computed. */
const tagOf = ({ asOf: _asOf, ...state }: CustomerState): string =>
  `"${hash('sha256', JSON.stringify(state), 'base64url')}"`;
