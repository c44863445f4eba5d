import { setTimeout as delay } from 'node:timers/promises';
import { BillingClient, BillingError } from '@billing/client';
import { expect, inject, it } from 'vitest';
import { killService } from '../system/running-system.ts';
import { newEmail, newTenant } from '../system/tenant.ts';

it('makes more customers than a page holds and walks through them as far as it is asked to', async () => {
  const tenant = await newTenant();
  const pages: string[] = [];
  const billing = clientOf(tenant, {
    fetch: (url, init) => {
      if (init?.method === 'GET') pages.push(new URL(new Request(url).url).search);
      return fetch(url, init);
    },
  });
  const made = await inBatchesOf(20, 120, index =>
    billing.customers.create({ email: newEmail(), metadata: { index: String(index) } }),
  );

  const all = await Array.fromAsync(billing.customers.list({ limit: 50 }), ({ id }) => id);
  expect(all).toHaveLength(120);
  expect(new Set(all)).toEqual(new Set(made.map(({ id }) => id)));
  expect(pages).toEqual(['?limit=50&offset=0', '?limit=50&offset=50', '?limit=50&offset=100']);

  const some: string[] = [];
  for await (const { id } of billing.customers.list({ limit: 10 })) if (some.push(id) === 15) break;
  expect(some).toEqual(all.slice(0, 15));
  expect(pages.slice(3)).toEqual(['?limit=10&offset=0', '?limit=10&offset=10']);

  const page = await billing.customers.list({ limit: 100, offset: 100 }).page();
  expect(page).toMatchObject({ total: 120, hasMore: false });
  expect(page.items.map(({ id }) => id)).toEqual(all.slice(100));
});

it.each(['customers', 'catalog', 'gateway'])(
  'makes one thing of one call, however it meets the %s service dying',
  async service => {
    const tenant = await newTenant();
    const billing = clientOf(tenant, { maxRetries: 8 });
    // Killed while it is at work; the client alone sends what got no answer again, under its own key.
    const creating = Promise.all([
      billing.customers.create({ email: newEmail() }),
      billing.products.create({ name: 'Pro' }),
    ]);
    await delay(10);
    await Promise.all([creating, killService(service)]);

    const [customers, products] = await Promise.all([
      Array.fromAsync(billing.customers.list()),
      Array.fromAsync(billing.products.list()),
    ]);
    expect([customers.length, products.length]).toEqual([1, 1]);
    const { objects } = await tenant.processor.ledger();
    const idsOf = (kind: string) => objects.filter(({ object }) => object === kind).map(({ id }) => id);
    expect(idsOf('customer')).toEqual(customers.map(({ processorCustomerId }) => processorCustomerId));
    expect(idsOf('product')).toEqual(products.map(({ processorProductId }) => processorProductId));
  },
);

it('tells every failure in one error class', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const email = newEmail();
  await billing.customers.create({ email });

  const failures = {
    taken: await failureOf(billing.customers.create({ email: email.toUpperCase() })),
    invalid: await failureOf(billing.customers.create({ email: 'ada', name: '' })),
    missing: await failureOf(billing.customers.get('pc_00000000000000000000')),
    refused: await failureOf(
      clientOf({ ...tenant, secret: 'bil_test_wrong' })
        .customers.list()
        .page(),
    ),
    foreign: await failureOf(clientOf({ ...tenant, projectId: 'proj_00000000000000000000' }).analytics.get()),
    unreachable: await failureOf(clientOf(tenant, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).analytics.get()),
  };

  expect(failures).toMatchObject({
    taken: { status: 409, code: 'customer_email_taken' },
    invalid: { status: 400, code: 'validation_error' },
    missing: { status: 404, code: 'customer_not_found' },
    refused: { status: 401, code: 'unauthorized' },
    foreign: { status: 403, code: 'forbidden' },
    unreachable: { status: 0, code: 'connection_failed', requestId: undefined },
  });
  expect(failures.invalid.fields.map(({ path }) => path)).toEqual(['email', 'name']);
  expect(failures.missing.requestId).toMatch(/^[\w-]{8,}$/);
});

it('leaves a call when its signal says so', async () => {
  const { billing, processor } = await newTenant();
  await processor.fail({ path: '/v1/customers', mode: 'slow', delayMs: 2_000 });
  const calling = billing.customers.create({ email: newEmail() }, { signal: AbortSignal.timeout(200) });
  await expect(calling).rejects.toHaveProperty('name', 'TimeoutError');
});

interface Credentials {
  readonly secret: string;
  readonly teamId: string;
  readonly projectId: string;
}

function clientOf(
  { secret, teamId, projectId }: Credentials,
  options: Partial<ConstructorParameters<typeof BillingClient>[0]> = {},
): BillingClient {
  return new BillingClient({ baseUrl: inject('gatewayUrl'), apiKey: secret, teamId, projectId, ...options });
}

async function failureOf(calling: Promise<unknown>): Promise<BillingError> {
  const failure = await calling.then(
    () => undefined,
    (err: unknown) => err,
  );
  if (failure instanceof BillingError) return failure;
  throw new Error('Expected a BillingError.', { cause: failure });
}

async function inBatchesOf<Made>(size: number, count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const batch = Array.from({ length: Math.min(size, count - made.length) }, (_, at) => make(made.length + at));
    made.push(...(await Promise.all(batch)));
  }
  return made;
}
