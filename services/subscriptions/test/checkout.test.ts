import { afterAll, beforeAll, beforeEach, expect, describe, it } from 'vitest';
import { CustomerDeleted, CustomerCreated } from '@billing/contracts/events/customers';
import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerId, PriceId, ProjectId } from '@billing/contracts/ids';
import type { CustomerState } from '@billing/contracts/events/customers';
import { CheckoutSession } from '../src/persistence/checkout-session.entity.ts';
import { resumeCheckouts } from '../src/operations/resume-checkouts.ts';
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

const reservations = (state: CheckoutSession['state']) => service.em.fork().count(CheckoutSession, { state });
const sessionsMade = async () =>
  (await service.control.ledger()).objects.filter(({ object }) => object === 'checkout.session').length;

describe('a checkout', () => {
  it('works right after customer and price were created, before any event has come', async () => {
    const { status, body } = await checkout();
    expect(status).toBe(201);
    expect(body).toEqual({ sessionId: expect.stringMatching(/^cs_/), url: expect.stringMatching(/^http/) });
  });

  it('tells the processor where the payment belongs, beside what the caller says', async () => {
    const { body } = await checkout({ metadata: { plan: 'gold' }, quantity: 3, trialDays: 14 });
    const metadata = { plan: 'gold', ...service.scope, customerId: customer.id, priceId };
    expect(await service.processor.findCheckoutSession(body.sessionId)).toMatchObject({ metadata });
    await service.control.checkout(body.sessionId);
    const [subscription] = await service.processor.listSubscriptions(customer.processorCustomerId);
    expect(subscription).toMatchObject({ metadata, status: 'trialing', items: [{ quantity: 3 }] });
  });

  it('leaves the placeholder in the success URL to the processor', async () => {
    const { body } = await checkout();
    const paid = await service.control.checkout(body.sessionId);
    expect(paid.success_url).toBe(URLS.successUrl);
  });

  it('sells a one-time price in payment mode', async () => {
    const { price } = await service.createPrice({ recurring: false });
    const { status, body } = await checkout({ priceId: price.id, mode: 'payment' });
    expect(status).toBe(201);
    expect(await service.processor.findCheckoutSession(body.sessionId)).toMatchObject({ mode: 'payment' });
  });

  it('knows neither what does not exist nor what belongs to another project', async () => {
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
    'refuses what is not sold: %s',
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

  it('refuses a price whose type does not fit the mode', async () => {
    const { price } = await service.createPrice({ recurring: false });
    const oneTime = await checkout({ priceId: price.id });
    expect([oneTime.status, oneTime.body.error.code]).toEqual([422, 'price_type_mismatch']);
    const recurring = await checkout({ mode: 'payment' });
    expect([recurring.status, recurring.body.error.code]).toEqual([422, 'price_type_mismatch']);
  });

  it('names every field that is wrong', async () => {
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
    other.disconnected.add(other.scope.teamId);
    const buyer = await other.createCustomer();
    const { price } = await other.createPrice();
    const body = { customerId: buyer.id, priceId: price.id, ...URLS };
    const answer = await other.call('POST', '/checkout', { body });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'processor_not_connected']);
    expect(await other.em.fork().count(CheckoutSession)).toBe(0);
  });
});

describe('a checkout in bad luck', () => {
  it('asks the processor again when the answer is lost, and makes one session', async () => {
    const before = await sessionsMade();
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-answer-lost' });
    expect((await checkout()).status).toBe(201);
    expect(await sessionsMade()).toBe(before + 1);
  });

  it('shows the caller what the processor refuses, and keeps no reservation', async () => {
    const stranger = await service.createCustomer(service.scope, 'cus_unknown');
    const { status, body } = await checkout({ customerId: stranger.id });
    expect([status, body.error.code]).toEqual([502, 'processor_error']);
    expect(body.error.details).toMatchObject({ code: 'resource_missing' });
    expect(await reservations('reserved')).toBe(0);
    expect(await reservations('void')).toBe(1);
  });

  it('is resumed under the same key after the answer never came', async () => {
    const before = await sessionsMade();
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-answer-lost', times: 99 });
    expect((await checkout()).status).toBe(503);
    await service.control.clearFaults();
    expect(await reservations('reserved')).toBe(1);
    await letClaimsEnd();
    expect(await resumeCheckouts(service.dependencies)()).toBe(1);
    expect(await reservations('reserved')).toBe(0);
    expect(await sessionsMade()).toBe(before + 1);
  });

  it('continues what was begun when the caller repeats it with the same Idempotency-Key', async () => {
    const before = await sessionsMade();
    const key = { 'idempotency-key': 'order-1' };
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'done-but-answer-lost', times: 99 });
    expect((await checkout({}, key)).status).toBe(503);
    await service.control.clearFaults();
    const again = await checkout({}, key);
    expect(again.status).toBe(201);
    expect(await sessionsMade()).toBe(before + 1);
    const replayed = await checkout({}, key);
    expect(replayed.body).toEqual(again.body);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  it('asks under a new key after a failure that the processor keeps, and makes one session', async () => {
    const before = await sessionsMade();
    const key = { 'idempotency-key': 'order-2' };
    await service.control.fail({ path: '/v1/checkout/sessions', mode: '500' });
    expect((await checkout({}, key)).status).toBe(502);
    expect(await reservations('reserved')).toBe(0);
    expect((await checkout({}, key)).status).toBe(201);
    expect(await sessionsMade()).toBe(before + 1);
  });

  it('gives up a reservation whose key the processor has forgotten', async () => {
    const em = service.em.fork();
    await service.control.fail({ path: '/v1/checkout/sessions', mode: 'dropped', times: 99 });
    expect((await checkout()).status).toBe(503);
    await em.execute(`update checkout_sessions set created_at = now() - interval '1 day' where state = 'reserved'`);
    const voided = await reservations('void');
    await letClaimsEnd();
    expect(await resumeCheckouts(service.dependencies)()).toBe(0);
    expect(await reservations('void')).toBe(voided + 1);
  });

  it('serves from its own copies while customers and catalog are away', async () => {
    await using other = await startService();
    const buyer = await other.createCustomer();
    const { price, product } = await other.createPrice();
    const body = { customerId: buyer.id, priceId: price.id, ...URLS };
    await other.silence('customer', 'price');
    expect((await other.call('POST', '/checkout', { body })).status).toBe(503);
    await other.receive(other.tell(CustomerCreated, buyer));
    await other.receive(other.tell(ProductCreated, product));
    await other.receive(other.tell(PriceCreated, price));
    expect((await other.call('POST', '/checkout', { body })).status).toBe(201);
    await other.receive(other.tell(CustomerDeleted, { ...buyer, version: 2, deletedAt: new Date() }));
    const gone = await other.call('POST', '/checkout', { body });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'customer_not_found']);
  });
});

const letClaimsEnd = () =>
  service.em.fork().execute(`update checkout_sessions set claimed_until = now() where state = 'reserved'`);
