import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerId, PriceId, SubscriptionId } from '@billing/contracts/ids';
import { startService, type Service } from './service.ts';

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
/** Bodies that are mostly valid, so that they pass the first checks. */
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
/** Text that a URL can hold; half a surrogate pair is not. */
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

describe('hostile input', () => {
  it('causes no server error in a checkout', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(checkout, hostile), async body => {
        const { status } = await send('POST', '/checkout', JSON.stringify(body));
        expect(status).toBeLessThan(500);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  it('causes no server error in a change of a subscription', async () => {
    const id = SubscriptionId.create();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, fc.oneof(fc.constant<string>(id), inUrl), async (value, extra, path) => {
        const body = JSON.stringify({ cancelAtPeriodEnd: value, ...(typeof extra === 'object' ? extra : {}) });
        const { status } = await send('PATCH', `/subscriptions/${path}`, body);
        expect([400, 404]).toContain(status);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  it('gets a validation error for an unreadable path', async () => {
    for (const path of ['/subscriptions/%zz', `/subscriptions/${'a'.repeat(5_000)}`]) {
      const { status, code } = await send('GET', path);
      expect([status, code]).toEqual([400, 'validation_error']);
    }
  });

  it('causes no server error in a list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('subscriptions', 'invoices'), query, async (list, search) => {
        const { status } = await send('GET', `/${list}?${search}`);
        expect([200, 400]).toContain(status);
      }),
      { seed, numRuns: runs(300) },
    );
  });
});

async function send(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  payload?: string,
): Promise<{ status: number; code?: string }> {
  const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
  const { status, body } = await service.call(method, path, {
    headers,
    ...(payload !== undefined && { body: payload }),
  });
  return { status, code: body?.error?.code };
}
