import { hash } from 'node:crypto';
import type { Routes } from '@billing/service/definition';
import { stateOperations as operations } from '@billing/contracts/operations/state';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import { serve } from '@billing/service/serve';
import { checkFeature, readState } from '#operations/read-state.ts';
import type { Dependencies } from '../dependencies.ts';

/** A reader may go on with what it has for a day while this service does not respond. */
const CACHE_CONTROL = 'private, max-age=0, stale-if-error=86400';

/** What customers may use. */
export function stateRoutes(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'now'>): Routes {
  const closing = new AbortController();
  const [read, readOne] = [readState(dependencies, closing.signal), checkFeature(dependencies)];
  const caching = {
    cacheControl: CACHE_CONTROL,
    tagOf: ({ state }: { readonly state: CustomerState }) => tagOf(state),
  };
  return app => {
    // Requests that wait for a checkout get their response before the service closes.
    app.addHook('preClose', async () => closing.abort());
    serve(
      app,
      operations.getCustomerState,
      async ({ params: { customerId: id, ...scope }, query }) => ({
        state: await read(scope, { id }, query),
      }),
      { caching },
    );
    serve(
      app,
      operations.getExternalCustomerState,
      async ({ params: { externalId, ...scope }, query }) => ({
        state: await read(scope, { externalId }, query),
      }),
      { caching },
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
