import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import { FindProject } from '@billing/contracts/rpc/calls';
import { projectState } from '@billing/testing/projects';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { controlOperationLog, reconcileOnce } from '@billing/processor/operation-log/testing';
import { openCustomersOperationLog } from '../src/operations/open-operation-log.ts';
import { customersService } from '../src/service.ts';

/** Starts the service in this process, with a database, a bus and a processor account of its own. */
export async function startCustomers() {
  const account = await startTestAccount();
  const service = await startTestService(customersService(), { account });
  const { em, outbox, processors, rpc, scope, logger, now } = service;
  const operationLog = openCustomersOperationLog({ outbox, processors, rpc, logger, now });

  const project = { automaticTax: false };
  await service.serve(FindProject, async of => projectState(of, project));

  return {
    ...account,
    ...service,
    account,
    operationLog,
    /** The settings of all projects; a test may change them. */
    project,
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
