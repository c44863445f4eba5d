import { CustomerCreated } from '@billing/contracts/events/customers';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anInvoice, aSubscription, invoiceObject, paymentIntentObject, subscriptionObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

type Customer = Awaited<ReturnType<typeof startProject>>['customer'];
interface Searched {
  readonly id: string;
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
}

/** The event that adds a record to a list, and the property with the processor's id. */
const LISTS = {
  subscriptions: {
    idName: 'processorSubscriptionId',
    added: (scope: ProjectScope, { id, customer, amount, currency }: Searched) => {
      const price = { id: `price_${id}`, currency };
      const subscription = aSubscription({ id, customer, unitAmount: amount, price, more: { currency } });
      return routedEvent(scope, 'customer.subscription.created', subscriptionObject(subscription));
    },
  },
  invoices: {
    idName: 'processorInvoiceId',
    added: (scope: ProjectScope, { id, customer, amount, currency }: Searched) => {
      const invoice = anInvoice({ id, customer, subscription: null, amountDue: amount, number: 'Bill' });
      return routedEvent(scope, 'invoice.updated', { ...invoiceObject(invoice), currency });
    },
  },
  payments: {
    idName: 'processorPaymentIntentId',
    added: (scope: ProjectScope, searched: Searched) =>
      routedEvent(scope, 'payment_intent.succeeded', paymentIntentObject({ ...searched })),
  },
} as const;
const CASES = Object.entries(LISTS);

/** Fills a list with a record of each amount, by turns of each customer. */
async function fill(path: keyof typeof LISTS, amounts: readonly (readonly [amount: number, currency: string])[]) {
  const project = await startProject(service);
  const { scope } = project;
  const customers: readonly [Customer, Customer] = [project.customer, await service.createCustomer(scope)];
  await service.deliver(newEvent(CustomerCreated, scope.teamId, customers[1]));
  const records = amounts.map(([amount, currency], index): Searched => {
    const { processorCustomerId: customer } = index % 2 ? customers[1] : customers[0];
    return { id: `${path}_${scope.projectId}_${index}`, customer, amount, currency };
  });
  const { added, idName } = LISTS[path];
  await service.deliver(...records.map(record => added(scope, record)));
  const search = async (text: string, of = scope) => {
    const all = path === 'subscriptions' ? '&activeOnly=false' : '';
    const { body } = await service.call('GET', `/${path}?search=${encodeURIComponent(text)}${all}`, { of });
    return (body[path] as Record<string, unknown>[]).map(found => String(found[idName])).toSorted(); // as the contract says
  };
  const idsOf = (is: (record: Searched) => boolean) => records.filter(is).map(({ id }) => id);
  return { scope, customers, search, idsOf };
}

it.each(CASES)('finds %s by the customer and by the amount, of the own project only', async path => {
  const name = path as keyof typeof LISTS; // a key of the object
  const { customers, search, idsOf } = await fill(name, [
    [1_250, 'usd'],
    [1_250, 'jpy'],
    [12_500, 'kwd'],
    [125_000, 'eur'],
  ]);
  const [{ email, processorCustomerId }] = customers;
  expect(await search(email ?? '')).toEqual(idsOf(({ customer }) => customer === processorCustomerId));
  expect(await search('$12.50')).toEqual(idsOf(({ amount, currency }) => amount < 125_000 && currency !== 'jpy'));
  expect(await search('1,250')).toEqual(idsOf(({ amount, currency }) => currency === 'jpy' || amount === 125_000));
  expect(await search('nobody')).toEqual([]);
  const other = await startProject(service);
  expect(await search('$12.50', other.scope)).toEqual([]);
  expect(await search(email ?? '', other.scope)).toEqual([]);
});

it('finds invoices by their number too', async () => {
  const { search, idsOf } = await fill('invoices', [[1_250, 'usd']]);
  expect(await search('BILL')).toEqual(idsOf(() => true));
});

const AMOUNTS = [5, 50, 1_250, 2_999, 125_000, 99_999_999] as const;

it.each(CASES)('finds just the %s of an amount, whatever the text is', async path => {
  const name = path as keyof typeof LISTS; // a key of the object
  const { customers, search, idsOf } = await fill(
    name,
    AMOUNTS.map(amount => [amount, 'usd']),
  );
  for (const wanted of AMOUNTS)
    expect(await search((wanted / 100).toFixed(2))).toEqual(idsOf(({ amount }) => amount === wanted));
  const unit = fc.constantFrom(...'0123456789.,$%_\\\'"();€-'.split(''));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, minLength: 2, maxLength: 12 }), async text => {
      fc.pre(!customers.some(({ email }) => email?.includes(text)));
      expect((await search(text)).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: runs(80) },
  );
});

it('rejects a search without a letter', async () => {
  expect((await service.call('GET', '/payments?search=%20')).status).toBe(400);
});
