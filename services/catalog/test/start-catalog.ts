import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { controlOperationLog, reconcileOnce } from '@billing/processor/operation-log/testing';
import { openCatalogOperationLog } from '../src/operations/open-operation-log.ts';
import { catalogService } from '../src/service.ts';

/** Starts the catalog in this process, with a database, a bus and a processor account of its own. */
export async function startCatalog(options: { readonly outboxHighWater?: number } = {}) {
  const account = await startTestAccount();
  const service = await startTestService(catalogService(), { ...options, account });
  const { em, outbox, processors, logger, now } = service;
  const operationLog = openCatalogOperationLog({ outbox, processors, logger, now });

  return {
    ...account,
    ...service,
    account,
    operationLog,
    /** The account's events so far, oldest first, as the bus carries them to the project; only of `types` if given. */
    events: (...types: ProcessorEventType[]) => account.events(service.scope, ...types),
    ...controlOperationLog(em),
    /** Does what the reconciler does, once. */
    reconcile: () => reconcileOnce(operationLog),
    createProduct: async (body: object = { name: 'Pro' }) =>
      (await service.call('POST', '/products', { body })).body.product,
    createPrice: async (productId: string, body: object = {}) => {
      const price = { productId, unitAmount: 2_999, currency: 'usd', interval: 'month', ...body };
      return (await service.call('POST', '/prices', { body: price })).body.price;
    },
  };
}

export type Catalog = Awaited<ReturnType<typeof startCatalog>>;
