import { BillingDetailsUpdated } from '@billing/contracts/events/billing-details';
import { CountStoppedTax } from '@billing/contracts/rpc/accounts';
import { NO_DETAILS, type BillingDetails } from '@billing/contracts/resources/billing-details';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { buySubscription } from './buy-subscription.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const NOWHERE = { address: { country: 'US' }, tax: { validate_location: 'deferred' } } as const;

/** A subscription, and what its customer's address says about its tax. */
async function buy() {
  const bought = await buySubscription(service);
  const { customerId } = await bought.get();
  const customer = (await bought.atProcessor()).customerId;
  let sequence = 0;
  const { teamId, projectId } = service.scope;
  return {
    ...bought,
    customerId,
    put: (automatic: boolean) => service.call('PUT', `/subscriptions/${bought.id}/tax`, { body: { automatic } }),
    move: (country: string) =>
      service.account.dashboard.customers.update(customer, {
        address: { country },
        tax: { validate_location: 'deferred' },
      }),
    lose: () => service.account.dashboard.customers.update(customer, NOWHERE),
    renew: () => service.control.renew(bought.processorId),
    tell: async (taxLocation: BillingDetails['taxLocation']) => {
      sequence += 1;
      const change = {
        types: ['customer.billing_details_updated' as const],
        sequence,
        at: new Date(),
        cause: CAUSED_BY_SYSTEM,
        previousAttributes: null,
      };
      const data = { ...NO_DETAILS, customerId, projectId, taxLocation, updatedAt: new Date(), change };
      await service.deliver(newEvent(BillingDetailsUpdated, teamId, data));
    },
  };
}

it('turns automatic tax on and off, without charging anything', async () => {
  const { put, move, get, atProcessor } = await buy();
  await move('DE');
  const invoices = await service.account.dashboard.invoices.list({ limit: 1 });
  expect((await put(true)).body.subscription).toMatchObject({ tax: { automatic: true, stoppedReason: null } });
  expect((await atProcessor()).tax.automatic).toBe(true);
  expect((await put(false)).body.subscription.tax.automatic).toBe(false);
  expect(await get()).toMatchObject({ tax: { automatic: false } });
  const after = await service.account.dashboard.invoices.list({ limit: 1 });
  expect(after.data[0]?.id).toBe(invoices.data[0]?.id);
});

it('refuses to tax a customer whose location is not recognized', async () => {
  const { put, lose, get } = await buy();
  await lose();
  expect(await put(true)).toMatchObject({ status: 422, body: { error: { code: 'tax_location_invalid' } } });
  expect(await get()).toMatchObject({ tax: { automatic: false } });
});

/** A subscription whose tax has stopped at a renewal, before that is told here. */
async function stop() {
  const bought = await buy();
  await bought.move('DE');
  await bought.put(true);
  await bought.lose();
  await bought.renew();
  return bought;
}

/** Waits until tax runs; the service carries its operations out beside the test. */
async function expectTaxed(get: Awaited<ReturnType<typeof buy>>['get']): Promise<void> {
  const tax = async () => {
    await service.runOperations();
    return (await get()).tax;
  };
  await expect.poll(tax).toEqual({ automatic: true, stoppedReason: null });
}

const stoppedIds = async () => {
  const { body } = await service.call('GET', '/subscriptions?taxStopped=true');
  return body.subscriptions.map(({ id }: { id: string }) => id);
};

it('shows, counts and lists subscriptions whose tax has stopped', async () => {
  const { id, get, deliverEvents } = await stop();
  await deliverEvents();
  expect(await get()).toMatchObject({
    status: 'active',
    tax: { automatic: false, stoppedReason: 'requires_location_inputs' },
  });
  expect(await stoppedIds()).toEqual([id]);
  const { teamId } = service.scope;
  expect(await service.rpc.call(CountStoppedTax, { teamId })).toEqual({ subscriptions: 1 });
  await service.account.dashboard.subscriptions.cancel((await get()).processorSubscriptionId);
  await deliverEvents();
  expect(await stoppedIds()).toEqual([]);
});

it.each(['before', 'after'])('starts tax again that stopped, when the new address is told %s the stop', async when => {
  const { get, deliverEvents, tell, move } = await stop();
  if (when === 'after') await deliverEvents();
  await move('FR');
  await tell('recognized');
  if (when === 'before') await deliverEvents();
  await expectTaxed(get);
});

it('starts tax again after the processor fails at first', async () => {
  const { get, deliverEvents, tell, move } = await stop();
  await deliverEvents();
  await move('FR');
  await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode: '500', times: 1 });
  await tell('recognized');
  await expectTaxed(get);
});

it('starts tax again with a new address after the processor refused one before', async () => {
  const { get, deliverEvents, tell, move } = await stop();
  await deliverEvents();
  await tell('recognized');
  await service.runOperations();
  await expect.poll(() => service.openOperations()).toEqual([]);
  expect(await get()).toMatchObject({ tax: { stoppedReason: 'requires_location_inputs' } });
  await move('FR');
  await tell('recognized');
  await expectTaxed(get);
});

it('starts tax again after another change was refused that was open meanwhile', async () => {
  const { get, deliverEvents, tell, move, put } = await stop();
  await deliverEvents();
  await move('FR');
  await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode: 'dropped', times: 99 });
  expect((await put(false)).status).toBe(503);
  await tell('recognized');
  await service.control.clearFaults();
  await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode: '400', times: 1 });
  await expectTaxed(get);
});

it('leaves tax off that somebody turned off, and that of a customer who is not recognized', async () => {
  const off = await buy();
  await off.move('DE');
  await off.put(true);
  await off.put(false);
  await off.tell('recognized');
  const lost = await stop();
  await lost.deliverEvents();
  await lost.tell('unrecognized');
  await service.runOperations();
  expect(await off.get()).toMatchObject({ tax: { automatic: false, stoppedReason: null } });
  expect(await lost.get()).toMatchObject({ tax: { automatic: false, stoppedReason: 'requires_location_inputs' } });
});
