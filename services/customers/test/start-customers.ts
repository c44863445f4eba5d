import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { openCustomersOperationLog } from '../src/operations/open-operation-log.ts';
import { customersService } from '../src/service.ts';

/** Starts the service in this process, with a database, a bus and a processor account of its own. */
export async function startCustomers() {
  const account = await startTestAccount();
  const service = await startTestService(customersService(), { account });
  const { em, outbox, processors, scope, logger, now } = service;
  const operationLog = openCustomersOperationLog({ outbox, processors, logger, now });

  return {
    ...account,
    ...service,
    account,
    operationLog,
    /** The account's events so far, oldest first, as the bus carries them to the project; only of `types` if given. */
    events: (...types: ProcessorEventType[]) => account.events(scope, ...types),
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
    createCustomer: async (body: object = { email: 'ada@example.com' }, of = scope) =>
      (await service.call('POST', '/customers', { body, of })).body.customer,
  };
}

export type Customers = Awaited<ReturnType<typeof startCustomers>>;
