import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReportMissingObject } from '@billing/contracts/rpc/calls';
import { waitFor } from '@billing/testing/wait-for';
import { OWNED_TYPES, startService, type Service } from './service.ts';
import { startPayment, subscribe } from './start-payment.ts';

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };

let service: Service;
const reported: string[] = [];
beforeAll(async () => {
  service = await startService();
  await service.serve(ReportMissingObject, async ({ teamId, type, processorId }) => {
    reported.push(`${teamId} ${type} ${processorId}`);
    return {};
  });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A customer with a subscription, a paid invoice and an open one. */
async function startBilled() {
  const project = await startPayment(service);
  const { scope, customer, subscriptions, invoices, payments } = project;
  const { price } = await service.createPrice({}, scope);
  await subscribe(service, project);
  const [running] = await service.processor.listSubscriptions(customer.processorCustomerId);
  await service.control.renew(running?.id ?? '', 'decline');
  await service.deliver(
    ...(await service.account.events(scope, ...OWNED_TYPES)).filter(event => isOf(event, customer)),
  );
  const [subscription, payment] = [
    (await subscriptions())[0],
    (await payments()).find(({ status }) => status === 'succeeded'),
  ];
  const invoice = (await invoices()).find(({ status }) => status === 'open');
  return { scope, customer, price, subscription, payment, invoice };
}

const isOf = ({ data }: { data?: unknown }, { processorCustomerId }: { processorCustomerId: string }) =>
  JSON.stringify(data).includes(processorCustomerId);

/** Where a record has the processor's id of its object. */
const PLACES = {
  subscription: ['subscriptions', 'processor_subscription_id'],
  invoice: ['invoices', 'processor_invoice_id'],
  payment: ['payments', 'processor_payment_intent_id'],
} as const;

it.each([
  ['PATCH', 'subscription', '', { cancelAtPeriodEnd: true }],
  ['DELETE', 'subscription', '', undefined],
  ['POST', 'subscription', '/change', { quantity: 2 }],
  ['POST', 'subscription', '/change/preview', { quantity: 2 }],
  ['PUT', 'subscription', '/discount', { promotionCode: null }],
  ['POST', 'invoice', '/void', undefined],
  ['POST', 'invoice', '/mark-uncollectible', undefined],
  ['POST', 'invoice', '/retry', undefined],
  ['POST', 'payment', '/refund', undefined],
] as const)('names the record that the processor lacks: %s of a %s %s', async (method, type, path, body) => {
  const { scope, ...records } = await startBilled();
  const [table, column] = PLACES[type];
  const id = String(records[type]?.['id']);
  const gone = `gone_${id}`;
  await service.em.fork().execute(`update ${table} set ${column} = ? where id = ?`, [gone, id]);
  const at = `/${table}/${id}${path}`;
  const response = await service.call(method, at, { of: scope, ...(body && { body }) });
  expect([response.status, response.body.error?.code]).toEqual([404, `${type}_not_found`]);

  await waitFor(() => reported.includes(`${scope.teamId} ${type} ${gone}`), { what: 'the report' });
});

it('says that the customer of a checkout is gone, and has the record ended', async () => {
  const { scope, customer, price } = await startBilled();
  await service.account.dashboard.customers.del(customer.processorCustomerId);
  const wanted = { customerId: customer.id, priceId: price.id, ...URLS };
  const { status, body } = await service.call('POST', '/checkout', { of: scope, body: wanted });
  expect([status, body.error?.code]).toEqual([404, 'customer_not_found']);
  const report = `${scope.teamId} customer ${customer.processorCustomerId}`;
  await waitFor(() => reported.includes(report), { what: 'the report' });
});

it('says that the price of a checkout is gone', async () => {
  const { scope, customer, price } = await startBilled();
  const held = service.prices.get(price.id);
  if (held) service.prices.set(price.id, { ...held, price: { ...held.price, processorPriceId: 'price_gone' } });
  const wanted = { customerId: customer.id, priceId: price.id, ...URLS };
  const { status, body } = await service.call('POST', '/checkout', { of: scope, body: wanted });
  expect([status, body.error?.code]).toEqual([404, 'price_not_found']);
  await waitFor(() => reported.includes(`${scope.teamId} price price_gone`), { what: 'the report' });
});
