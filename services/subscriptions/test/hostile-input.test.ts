import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerId, PriceId, SubscriptionId } from '@billing/contracts/ids';
import { startService, type Service } from './service.ts';

const RUNS = 300;
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

let service: Service;
beforeAll(async () => {
  service = await startService();
  process.stdout.write(`hostile input: TEST_SEED=${seed}\n`);
});
afterAll(() => service[Symbol.asyncDispose]());

const deep = Array.from({ length: 100 }).reduce<unknown>(inner => ({ a: [inner] }), 1);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '__proto__',
    "' or 1=1 --",
    '{CHECKOUT_SESSION_ID}',
    '../..',
    '',
    'a'.repeat(5_000),
  ),
);
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(2 ** 53, 1e308, -1, 0.5, 0, null, true, [], {}, [['a']], deep),
  fc.jsonValue(),
);
/** Bodies that are mostly right, so that they come further than the first check. */
const checkout = fc.record(
  {
    customerId: fc.oneof(fc.constant(CustomerId.create()), hostile),
    priceId: fc.oneof(fc.constant(PriceId.create()), hostile),
    successUrl: fc.oneof(fc.constant('https://shop.example/ok'), fc.webUrl(), hostile),
    cancelUrl: fc.oneof(fc.constant('https://shop.example/no'), hostile),
    mode: fc.oneof(fc.constantFrom('payment', 'subscription'), hostile),
    quantity: fc.oneof(fc.integer(), hostile),
    trialDays: fc.oneof(fc.integer(), hostile),
    metadata: fc.oneof(fc.dictionary(text, fc.oneof(text, hostile)), hostile),
  },
  { requiredKeys: [] },
);
/** Text as it may stand in a URL, which half a surrogate pair may not. */
const inUrl = text.filter(value => value.isWellFormed()).map(encodeURIComponent);
const query = fc
  .dictionary(
    fc.oneof(fc.constantFrom('limit', 'offset', 'activeOnly', 'customerId', 'status', 'subscriptionId'), inUrl),
    fc.oneof(inUrl, fc.constantFrom('1', '-1', '1e9', '0x10', 'true', '9007199254740993', '1&limit=2')),
  )
  .map(fields =>
    Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );

describe('no input whatever', () => {
  it('makes a checkout fail on our side', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(checkout, hostile), async body => {
        const { status } = await send('POST', '/checkout', JSON.stringify(body));
        expect(status).toBeLessThan(500);
      }),
      { seed, numRuns: RUNS },
    );
  });

  it('makes a change of a subscription fail on our side', async () => {
    const id = SubscriptionId.create();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, fc.oneof(fc.constant<string>(id), inUrl), async (value, extra, path) => {
        const body = JSON.stringify({ cancelAtPeriodEnd: value, ...(typeof extra === 'object' ? extra : {}) });
        const { status } = await send('PATCH', `/subscriptions/${path}`, body);
        expect([400, 404]).toContain(status);
      }),
      { seed, numRuns: RUNS },
    );
  });

  it('gets an answer that repeats a path nobody can read', async () => {
    for (const path of ['/subscriptions/%zz', `/subscriptions/${'a'.repeat(5_000)}`]) {
      const { status, code } = await send('GET', path);
      expect([status, code]).toEqual([400, 'validation_error']);
    }
  });

  it('makes a list fail on our side', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('subscriptions', 'invoices'), query, async (list, search) => {
        const { status } = await send('GET', `/${list}?${search}`);
        expect([200, 400]).toContain(status);
      }),
      { seed, numRuns: RUNS },
    );
  });
});

async function send(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  payload?: string,
): Promise<{ status: number; code?: string }> {
  const { teamId, projectId } = service.scope;
  const url = `/api/service/teams/${teamId}/projects/${projectId}${path}`;
  const headers = { ...service.identity.asKey(service.scope), ...(payload && { 'content-type': 'application/json' }) };
  const response = await service.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
  return { status: response.statusCode, code: response.json().error?.code };
}
