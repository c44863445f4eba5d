import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
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
    /** Remote operations that are not finished. */
    openOperations: () =>
      em
        .fork()
        .execute<{ id: string; kind: string }[]>('select id, kind from remote_operations where due_at is not null'),
    /** Does what the reconciler does, once. */
    reconcile: async () => {
      await Promise.all((await operationLog.leaseDue(10)).map(operationLog.finishLeft));
    },
    /** Ends the leases of a process that died, and makes its operations due. */
    endLeases: () =>
      em.fork().execute('update remote_operations set due_at = clock_timestamp() where due_at is not null'),
    createProduct: async (body: object = { name: 'Pro' }) =>
      (await service.call('POST', '/products', { body })).body.product,
    createPrice: async (productId: string, body: object = {}) => {
      const price = { productId, unitAmount: 2_999, currency: 'usd', interval: 'month', ...body };
      return (await service.call('POST', '/prices', { body: price })).body.price;
    },
  };
}

export type Catalog = Awaited<ReturnType<typeof startCatalog>>;
