import type { Routes } from '@billing/service/definition';
import { stateOperations as operations } from '@billing/contracts/operations/state';
import { serve } from '@billing/service/serve';
import { readState } from '#operations/read-state.ts';
import type { Dependencies } from '../dependencies.ts';

/** What customers may use. */
export function stateRoutes({ em, ...dependencies }: Pick<Dependencies, 'em' | 'now'>): Routes {
  const read = readState(dependencies);
  return app => {
    serve(app, operations.getCustomerState, async ({ params: { customerId, ...scope } }) => ({
      state: await read(em.fork(), scope, customerId),
    }));
  };
}
