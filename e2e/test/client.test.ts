import { BillingClient } from '@billing/client';
import { expect, inject, it } from 'vitest';
import { errorOf } from '../system/http.ts';
import { newEmail, newTenant } from '../system/tenant.ts';

it('iterates over pages only as far as the caller reads', async () => {
  const tenant = await newTenant();
  const pages: string[] = [];
  const billing = clientOf(tenant, {
    fetch: (url, init) => {
      if (init?.method === 'GET') pages.push(new URL(new Request(url).url).search);
      return fetch(url, init);
    },
  });
  const created = await createInBatches(20, 120, index =>
    billing.customers.create({ email: newEmail(), metadata: { index: String(index) } }),
  );

  const all = await Array.fromAsync(billing.customers.list({ limit: 50 }), ({ id }) => id);
  expect(all).toHaveLength(120);
  expect(new Set(all)).toEqual(new Set(created.map(({ id }) => id)));
  expect(pages).toEqual(['?limit=50', ...[1, 2].map(() => expect.stringMatching(/^\?limit=50&cursor=[\w-]+$/))]);

  const some: string[] = [];
  for await (const { id } of billing.customers.list({ limit: 10 })) if (some.push(id) === 15) break;
  expect(some).toEqual(all.slice(0, 15));
  expect(pages.slice(3)).toEqual(['?limit=10', expect.stringMatching(/^\?limit=10&cursor=[\w-]+$/)]);

  const page = await billing.customers.list({ limit: 100, offset: 100 }).page();
  expect(page).toMatchObject({ total: 120, hasMore: false });
  expect(page.items.map(({ id }) => id)).toEqual(all.slice(100));
});

it('reports every failure as a BillingError', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const email = newEmail();
  await billing.customers.create({ email });

  const errors = {
    taken: await errorOf(billing.customers.create({ email: email.toUpperCase() })),
    invalid: await errorOf(billing.customers.create({ email: 'ada', name: '' })),
    missing: await errorOf(billing.customers.get('pc_00000000000000000000')),
    unauthorized: await errorOf(
      clientOf({ ...tenant, secret: 'bil_test_wrong' })
        .customers.list()
        .page(),
    ),
    foreign: await errorOf(clientOf({ ...tenant, projectId: 'proj_00000000000000000000' }).analytics.get()),
    unreachable: await errorOf(clientOf(tenant, { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 }).analytics.get()),
  };

  expect(errors).toMatchObject({
    taken: { status: 409, code: 'customer_email_taken' },
    invalid: { status: 400, code: 'validation_error' },
    missing: { status: 404, code: 'customer_not_found' },
    unauthorized: { status: 401, code: 'unauthorized' },
    foreign: { status: 403, code: 'forbidden' },
    unreachable: { status: 0, code: 'connection_failed', requestId: undefined },
  });
  expect(errors.invalid.fields.map(({ path }) => path)).toEqual(['email', 'name']);
  expect(errors.missing.requestId).toMatch(/^[\w-]{8,}$/);
});

it('aborts a call when its signal aborts', async () => {
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

async function createInBatches<Created>(
  size: number,
  count: number,
  create: (index: number) => Promise<Created>,
): Promise<Created[]> {
  const created: Created[] = [];
  while (created.length < count) {
    const first = created.length;
    const batch = Array.from({ length: Math.min(size, count - first) }, (_, at) => create(first + at));
    created.push(...(await Promise.all(batch)));
  }
  return created;
}
