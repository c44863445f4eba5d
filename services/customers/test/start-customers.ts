import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { controlOperationLog, reconcileOnce } from '@billing/processor/operation-log/testing';
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
    ...controlOperationLog(em),
    /** Does what the reconciler does, once. */
    reconcile: () => reconcileOnce(operationLog),
    createCustomer: async (body: object = { email: 'ada@example.com' }, of = scope) =>
      (await service.call('POST', '/customers', { body, of })).body.customer,
  };
}

export type Customers = Awaited<ReturnType<typeof startCustomers>>;
