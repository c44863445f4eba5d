import { afterAll, beforeAll, expect, it } from 'vitest';
import { PriceCreated, PriceDeleted, type PriceState } from '@billing/contracts/events/catalog';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { PriceId } from '@billing/contracts/ids';
import { ProjectUpdated, type ProjectState } from '@billing/contracts/events/gateway';
import { newEvent } from '@billing/testing/events';
import { projectCreated, projectState } from '@billing/testing/projects';
import { routedEvent } from '@billing/testing/processor-events';
import { after, subscriptionObject, type SubscriptionPayload } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with a customer and a price of which the service has a copy. */
async function startShop(of: Service = service) {
  const project = await startProject(of);
  const { scope, customer, base } = project;
  const { price } = await of.createPrice({}, scope);
  await of.deliver(newEvent(PriceCreated, scope.teamId, price));
  return {
    ...project,
    service: of,
    price,
    checkout: (body: object) =>
      of.call('POST', '/checkout', {
        of: scope,
        body: { customerId: customer.id, priceId: price.id, ...URLS, ...body },
      }),
    /** Records a subscription to the price. */
    subscribe: (changes: Partial<SubscriptionPayload> = {}) => {
      const payload = { ...base, priceId: price.processorPriceId, ...changes };
      return of.deliver(routedEvent(scope, 'customer.subscription.created', subscriptionObject(payload)));
    },
  };
}

/** Creates another price of the same product. */
async function addPrice(price: PriceState): Promise<PriceState> {
  const { price: other, product } = await service.createPrice({}, { ...service.scope, projectId: price.projectId });
  const added = { ...other, productId: price.productId };
  service.prices.set(added.id, { price: added, product: { ...product, id: price.productId } });
  return added;
}

/** The session as the processor returns it, with its lines. */
const sessionAtProcessor = (id: string, { account }: Service = service) =>
  account.dashboard.checkout.sessions.retrieve(id, { expand: ['line_items'] });

/** Creates a metered price of a product at the processor and in the catalog. */
async function createMeteredPrice({
  service: of,
  scope,
  price: licensed,
}: Awaited<ReturnType<typeof startShop>>): Promise<PriceState> {
  const { dashboard } = of.account;
  const { product } = await dashboard.prices.retrieve(licensed.processorPriceId);
  const meter = await dashboard.billing.meters.create({
    display_name: 'Calls',
    event_name: `calls ${scope.projectId}`,
    default_aggregation: { formula: 'sum' },
  });
  const { id: processorPriceId } = await dashboard.prices.create({
    product: typeof product === 'string' ? product : product.id,
    currency: 'usd',
    unit_amount: 2,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  });
  const price: PriceState = {
    ...licensed,
    id: PriceId.create(),
    unitAmount: 2,
    metered: true,
    processorPriceId,
  };
  const offer = of.prices.get(licensed.id);
  if (offer) of.prices.set(price.id, { ...offer, price });
  return price;
}

it('sends the options to the processor', async () => {
  const { checkout } = await startShop();
  const options = { allowPromotionCodes: true, automaticTax: true, taxIdCollection: true };
  const { status, body } = await checkout({ ...options, clientReferenceId: 'order 1', locale: 'pt-BR' });
  expect(status).toBe(201);
  expect(await sessionAtProcessor(body.sessionId)).toMatchObject({
    allow_promotion_codes: true,
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    client_reference_id: 'order 1',
    locale: 'pt-BR',
  });
});

it('computes tax as the project says, also by what comes late and twice, unless the checkout says it', async () => {
  const { scope, checkout } = await startShop();
  const isTaxed = async (body: object = {}) =>
    (await sessionAtProcessor((await checkout(body)).body.sessionId)).automatic_tax.enabled;
  const changed = (changes: Partial<ProjectState>) =>
    newEvent(ProjectUpdated, scope.teamId, projectState(scope, changes));
  const [on, off] = [changed({ automaticTax: true, version: 2 }), changed({ automaticTax: false, version: 3 })];
  for (const event of [on, on, changed({ automaticTax: false, version: 1 })]) await service.deliver(event);
  expect(await isTaxed()).toBe(true);
  expect(await isTaxed({ automaticTax: null })).toBe(true);
  expect(await isTaxed({ automaticTax: false })).toBe(false);
  for (const event of [off, on, off]) await service.deliver(event);
  expect(await isTaxed()).toBe(false);
  expect(await isTaxed({ automaticTax: true })).toBe(true);
});

it('asks the gateway whether a new project computes tax before its event comes', async () => {
  const { scope, checkout } = await startShop();
  service.addProject(scope, { automaticTax: true });
  const { body } = await checkout({});
  expect(await sessionAtProcessor(body.sessionId)).toMatchObject({ automatic_tax: { enabled: true } });
});

it('takes a project whose events have no setting for tax as one that computes none', async () => {
  const { scope, checkout } = await startShop();
  const { automaticTax: _, ...earlier } = projectState(scope);
  const event = { ...projectCreated(scope), data: { ...earlier, createdAt: earlier.createdAt.toISOString() } };
  service.addProject(scope, { automaticTax: true });
  await service.deliver(event);
  const { body } = await checkout({});
  expect(await sessionAtProcessor(body.sessionId)).toMatchObject({ automatic_tax: { enabled: false } });
});

it.each([{ automaticTax: true }, { taxIdCollection: true }, { allowPromotionCodes: true }])(
  'opens a checkout with only %j',
  async option => {
    expect((await (await startShop()).checkout(option)).status).toBe(201);
  },
);

it.each([
  { automaticTax: 'yes' },
  { clientReferenceId: '' },
  { clientReferenceId: 'x'.repeat(201) },
  { locale: 'xx' },
  { oncePerCustomer: 1 },
])('rejects %j', async body => {
  expect((await (await startShop()).checkout(body)).status).toBe(400);
});

it('sells a metered price without a quantity, also by its copy while the catalog is down', async () => {
  await using other = await startService();
  const shop = await startShop(other);
  const price = await createMeteredPrice(shop);
  const { scope, customer } = shop;
  const buy = async () => {
    const { status, body } = await shop.checkout({ priceId: price.id, quantity: 3 });
    expect(status).toBe(201);
    const { line_items: lines } = await sessionAtProcessor(body.sessionId, other);
    expect(lines).toMatchObject({ data: [{ quantity: null, price: { id: price.processorPriceId } }] });
  };
  await buy();
  const [priceCreated, customerCreated] = [
    newEvent(PriceCreated, scope.teamId, price),
    newEvent(CustomerCreated, scope.teamId, customer),
  ];
  await other.deliver(projectCreated(scope), priceCreated, customerCreated);
  await other.stopOtherServices();
  await buy();
});

it('refuses a second subscription to the product where the checkout wants one only', async () => {
  const { checkout, subscribe, price } = await startShop();
  expect((await checkout({ oncePerCustomer: true })).status).toBe(201);
  await subscribe({ status: 'past_due' });
  const other = await addPrice(price);
  for (const priceId of [price.id, other.id]) {
    const { status, body } = await checkout({ priceId, oncePerCustomer: true });
    expect([status, body.error.code]).toEqual([409, 'already_subscribed']);
    expect((await checkout({ priceId })).status).toBe(201);
  }
});

it.each(['canceled', 'incomplete', 'incomplete_expired'])(
  'does not count a subscription that is %s as a second one',
  async status => {
    const { checkout, subscribe } = await startShop();
    await subscribe({ status });
    expect((await checkout({ oncePerCustomer: true })).status).toBe(201);
  },
);

it('counts neither other products, customers nor projects', async () => {
  const shop = await startShop();
  const { price: otherProduct } = await service.createPrice({}, shop.scope);
  const otherCustomer = await service.createCustomer(shop.scope);
  await shop.subscribe({ trialEnd: after(9) });
  const limits = { oncePerCustomer: true, trialOncePerCustomer: true, trialDays: 7 };
  expect((await shop.checkout({ ...limits, priceId: otherProduct.id })).status).toBe(201);
  expect((await shop.checkout({ ...limits, customerId: otherCustomer.id })).status).toBe(201);
  expect((await (await startShop()).checkout(limits)).status).toBe(201);
});

it('refuses a second trial of the product where the checkout wants one only, also after its price was deleted', async () => {
  const { checkout, subscribe, price, scope } = await startShop();
  const limit = { trialOncePerCustomer: true };
  expect((await checkout({ ...limit, trialDays: 7 })).status).toBe(201);
  await subscribe({ status: 'canceled', trialEnd: after(9), endedAt: after(9) });
  const other = await addPrice(price);
  await service.deliver(newEvent(PriceDeleted, scope.teamId, { ...price, version: 2, deletedAt: new Date() }));
  const { status, body } = await checkout({ ...limit, trialDays: 7, priceId: other.id });
  expect([status, body.error.code]).toEqual([422, 'trial_already_used']);
  expect((await checkout({ ...limit, priceId: other.id })).status).toBe(201);
  expect((await checkout({ trialDays: 7, priceId: other.id })).status).toBe(201);
});
