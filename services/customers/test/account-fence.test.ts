import { randomBytes } from 'node:crypto';
import { TeamId } from '@billing/contracts/ids';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

const email = 'ada@example.com';

/** Has another account take the place of the first one, in version 2 of the credentials. */
async function replaceAccount({ account, stopCredentials, serve }: Customers): Promise<string> {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  await stopCredentials();
  await serve(FindProcessorCredentials, async ({ teamId, service }) => {
    return { version: 2, livemode: false, sealedSecretKey: account.sealFor(service, teamId, secretKey) };
  });
  return secretKey;
}

it('counts a customer that is still being created, and none of another team', async () => {
  await using customers = await startCustomers();
  await customers.run();
  await customers.control.fail({ mode: 'held', method: 'POST', path: '/v1/customers' });
  const creating = customers.createCustomer({ email });
  await waitFor(async () => (await customers.openOperations()).length > 0, { what: 'the operation to be logged' });
  const count = (teamId: TeamId = customers.scope.teamId) =>
    customers.rpc.call(CountMirrored.customers, { teamId, fence: null });
  expect(await count()).toEqual({ records: { customers: 1 }, operations: 1 });
  expect(await count(TeamId.create())).toEqual({
    records: { customers: 0 },
    operations: 0,
  });
  await customers.control.clearFaults();
  await creating;
  expect(await count()).toEqual({ records: { customers: 1 }, operations: 0 });
});

it('sends what begins behind a fence with the new credentials, though the former ones are in memory', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const { teamId } = customers.scope;
  await customers.processors.of(teamId);
  const secretKey = await replaceAccount(customers);
  await customers.rpc.call(CountMirrored.customers, { teamId, fence: 2 });
  const { processorCustomerId } = await customers.createCustomer({ email });
  const replacement = stripeProcessor(secretKey, customers.url);
  expect(await replacement.findCustomer(processorCustomerId)).toMatchObject({ email });
  // An older fence that comes late changes nothing.
  await customers.rpc.call(CountMirrored.customers, { teamId, fence: 1 });
  const later = await customers.createCustomer({ email: 'bob@example.com' });
  expect(await replacement.findCustomer(later.processorCustomerId)).toMatchObject({ email: 'bob@example.com' });
});
