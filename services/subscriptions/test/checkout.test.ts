import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerCreated, CustomerDeleted, type CustomerState } from '@billing/contracts/events/customers';
import { CustomerId, PriceId, ProjectId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { CheckoutSession, type CheckoutState } from '../src/checkout/checkout-session.entity.ts';
import { startService, type Service } from './service.ts';

const URLS = { successUrl: 'https://shop.example/ok?s={CHECKOUT_SESSION_ID}', cancelUrl: 'https://shop.example/no' };

let service: Service;
let customer: CustomerState;
let priceId: PriceId;

beforeAll(async () => {
  service = await startService();
  customer = await service.createCustomer();
  priceId = (await service.createPrice()).price.id;
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const checkout = (body: object = {}, headers: Record<string, string> = {}) =>
  service.call('POST', '/checkout', { body: { customerId: customer.id, priceId, ...URLS, ...body }, headers });

/** No request shows sessions that are only reserved. */
const countSessions = (state: CheckoutState) => service.em.fork().count(CheckoutSession, { state });
const countAtProcessor = async () =>
  (await service.control.ledger()).objects.filter(({ object }) => object === 'checkout.session').length;

describe('a checkout', () => {
  it('works right after customer and price were created, before their events arrive', async () => {
    const { status, body } = await checkout();
    expect(status).toBe(201);
    const page = { sessionId: expect.stringMatching(/^cs_/), url: expect.stringMatching(/^http/) };
    const notThese = { clientSecret: null, publishableKey: null, subscription: null, invoice: null };
    expect(body).toEqual({ ...page, ...notThese });
  });

  it('sends the metadata of the caller and the routing keys', async () => {
    const { body } = await checkout({ metadata: { plan: 'gold' }, quantity: 3, trialDays: 14 });
    const metadata = { plan: 'gold', ...service.scope, customerId: customer.id, priceId };
    expect(await service.processor.findCheckoutSession(body.sessionId)).toMatchObject({ metadata });
    await service.control.checkout(body.sessionId);
    const [subscription] = await service.processor.listSubscriptions(customer.processorCustomerId);
    expect(subscription).toMatchObject({ metadata, status: 'trialing', items: [{ quantity: 3 }] });
  });

  it('passes the placeholder in the success URL to the processor', async () => {
    const { body } = await checkout();
    const paid = await service.control.checkout(body.sessionId);
    expect(paid.success_url).toBe(URLS.successUrl);
  });

  it('has a page that the seller’s own page shows, the same one for a repeat', async () => {
    const embedded = { page: 'embedded', cancelUrl: undefined };
    const headers = { 'idempotency-key': 'embedded' };
    const { status, body } = await checkout(embedded, headers);
    expect(status).toBe(201);
    const clientSecret = expect.stringMatching(`^${body.sessionId}_secret_`);
    expect(body).toMatchObject({ url: null, clientSecret, publishableKey: 'pk_test_shared', subscription: null });
    expect((await checkout(embedded, headers)).body).toEqual(body);
    const paid = await service.control.checkout(body.sessionId);
    expect(paid).toMatchObject({ status: 'complete', ui_mode: 'embedded_page', return_url: URLS.successUrl });
  });

  it.each([
    ['cancelUrl', { page: 'embedded' }],
    ['cancelUrl', { page: 'hosted', cancelUrl: undefined }],
    ['successUrl', { page: 'embedded', cancelUrl: undefined, successUrl: undefined }],
    ['page', { page: 'embedded', collect: 'saved', cancelUrl: undefined, successUrl: undefined }],
  ])('rejects a wrong %s of its page', async (field, body) => {
    const { status, body: refused } = await checkout(body);
    expect([status, refused.error.details.fields.map(({ path }: { path: string }) => path)]).toEqual([400, [field]]);
  });

  it('sells a one-time price in payment mode', async () => {
    const { price } = await service.createPrice({ recurring: false });
    const { status, body } = await checkout({ priceId: price.id, mode: 'payment' });
    expect(status).toBe(201);
    expect(await service.processor.findCheckoutSession(body.sessionId)).toMatchObject({ mode: 'payment' });
  });

  it('finds neither unknown ids nor those of another project', async () => {
    const elsewhere = { ...service.scope, projectId: ProjectId.create() };
    const foreignCustomer = await service.createCustomer(elsewhere);
    const foreignPrice = (await service.createPrice({}, elsewhere)).price;
    for (const customerId of [CustomerId.create(), foreignCustomer.id]) {
      const { status, body } = await checkout({ customerId });
      expect([status, body.error.code]).toEqual([404, 'customer_not_found']);
    }
    for (const unknown of [PriceId.create(), foreignPrice.id]) {
      const { status, body } = await checkout({ priceId: unknown });
      expect([status, body.error.code]).toEqual([404, 'price_not_found']);
    }
  });

  it.each([
    ['price_inactive', { price: { isActive: false } }],
    ['product_inactive', { product: { isActive: false } }],
    ['product_inactive', { product: { deletedAt: new Date() } }],
  ])(
    'rejects what is not for sale: %s',
    async (code, { price = {}, product = {} }: { price?: object; product?: object }) => {
      const offer = await service.createPrice();
      service.prices.set(offer.price.id, {
        price: { ...offer.price, ...price },
        product: { ...offer.product, ...product },
      });
      const { status, body } = await checkout({ priceId: offer.price.id });
      expect([status, body.error.code]).toEqual([422, code]);
    },
  );

  it('rejects a price whose type does not fit the mode', async () => {
    const { price } = await service.createPrice({ recurring: false });
    const oneTime = await checkout({ priceId: price.id });
    expect([oneTime.status, oneTime.body.error.code]).toEqual([422, 'price_type_mismatch']);
    const recurring = await checkout({ mode: 'payment' });
    expect([recurring.status, recurring.body.error.code]).toEqual([422, 'price_type_mismatch']);
  });

  it('names every invalid field', async () => {
    const { status, body } = await checkout({ quantity: 0, successUrl: 'javascript:alert(1)', extra: 1 });
    expect(status).toBe(400);
    const paths = body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['quantity', 'successUrl', 'extra']));
  });

  it('needs write access to subscriptions', async () => {
    const headers = service.identity.asKey({ ...service.scope, scopes: ['subscriptions:read'] });
    const { status, body } = await checkout({}, headers);
    expect([status, body.error.details]).toEqual([403, { requiredScope: 'subscriptions:write' }]);
  });

  it('leaves nothing behind for a team without a processor', async () => {
    await using other = await startService();
    other.account.disconnected.add(other.scope.teamId);
    const buyer = await other.createCustomer();
    const { price } = await other.createPrice();
    const body = { customerId: buyer.id, priceId: price.id, ...URLS };
    const response = await other.call('POST', '/checkout', { body });
    expect([response.status, response.body.error.code]).toEqual([409, 'processor_not_connected']);
    expect(await other.em.fork().count(CheckoutSession)).toBe(0);
  });
});

describe('a checkout that meets a failure', () => {
  it('creates one session when the response of the processor is lost', async () => {
    const before = await countAtProcessor();
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-response-lost' });
    expect((await checkout()).status).toBe(201);
    expect(await countAtProcessor()).toBe(before + 1);
  });

  it('returns the refusal of the processor, and leaves nothing behind', async () => {
    const foreign = await service.createCustomer(service.scope, 'cus_unknown');
    const { status, body } = await checkout({ customerId: foreign.id });
    expect([status, body.error.code]).toEqual([404, 'customer_not_found']);
    expect(body.error.details).toMatchObject({ code: 'resource_missing' });
    expect(await countSessions('reserved')).toBe(0);
  });

  it('is finished later under the same key when no response came', async () => {
    await using other = await startService();
    const buyer = await other.createCustomer();
    const { price } = await other.createPrice();
    const body = { customerId: buyer.id, priceId: price.id, ...URLS };
    await other.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-response-lost', times: 99 });
    expect((await other.call('POST', '/checkout', { body })).status).toBe(503);
    await other.control.clearFaults();
    const stateOf = async () => (await other.em.fork().findOneOrFail(CheckoutSession, other.scope)).state;
    expect(await stateOf()).toBe('reserved');
    await other.run();
    await waitFor(async () => (await stateOf()) === 'open', { what: 'the session to be opened' });
    const { objects } = await other.control.ledger();
    expect(objects.filter(({ object }) => object === 'checkout.session')).toHaveLength(1);
  });

  it('is finished by a repeat with the same Idempotency-Key', async () => {
    const before = await countAtProcessor();
    const key = { 'idempotency-key': 'order-1' };
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-response-lost', times: 99 });
    expect((await checkout({}, key)).status).toBe(503);
    await service.control.clearFaults();
    const repeated = await checkout({}, key);
    expect(repeated.status).toBe(201);
    expect(await countAtProcessor()).toBe(before + 1);
    const replayed = await checkout({}, key);
    expect(replayed.body).toEqual(repeated.body);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  it('is sent under a new key after a failure that the processor replays', async () => {
    const before = await countAtProcessor();
    const key = { 'idempotency-key': 'order-2' };
    await service.control.fail({ path: '/v1/checkout/sessions', mode: '500' });
    expect((await checkout({}, key)).status).toBe(502);
    expect(await countSessions('reserved')).toBe(0);
    expect((await checkout({}, key)).status).toBe(201);
    expect(await countAtProcessor()).toBe(before + 1);
  });

  it('is given up when the processor has forgotten its key', async () => {
    const key = { 'idempotency-key': 'order-3' };
    await service.control.fail({ method: 'POST', path: '/v1/checkout/sessions', mode: 'dropped', times: 99 });
    expect((await checkout({}, key)).status).toBe(503);
    expect(await countSessions('reserved')).toBe(1);
    await service.letPass('1 day');
    expect((await checkout({}, key)).status).toBe(503);
    await service.makeDue();
    expect((await checkout({}, key)).status).toBe(503);
    expect(await countSessions('reserved')).toBe(0);
    await service.control.clearFaults();
    expect((await checkout({}, key)).status).toBe(201);
  });

  it('uses its copies while customers, catalog and gateway are down', async () => {
    await using other = await startService();
    const buyer = await other.createCustomer();
    const { price, product } = await other.createPrice();
    const body = { customerId: buyer.id, priceId: price.id, ...URLS };
    await other.stopOtherServices();
    expect((await other.call('POST', '/checkout', { body })).status).toBe(503);
    await other.deliver(newEvent(CustomerCreated, other.scope.teamId, buyer));
    await other.deliver(newEvent(ProductCreated, other.scope.teamId, product));
    await other.deliver(newEvent(PriceCreated, other.scope.teamId, price));
    expect((await other.call('POST', '/checkout', { body })).status).toBe(503);
    expect((await other.call('POST', '/checkout', { body: { ...body, automaticTax: false } })).status).toBe(201);
    await other.deliver(projectCreated(other.scope));
    expect((await other.call('POST', '/checkout', { body })).status).toBe(201);
    await other.deliver(newEvent(CustomerDeleted, other.scope.teamId, { ...buyer, version: 2, deletedAt: new Date() }));
    const gone = await other.call('POST', '/checkout', { body });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'customer_not_found']);
  });
});
