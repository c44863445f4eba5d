import { beforeAll, describe, expect, inject, it } from 'vitest';
import { send } from '../system/hostile/send.ts';
import { newPayment } from '../system/billing-records.ts';
import { newCustomer, newMonthlyPrice, newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';

/** JSON tokens, written as they are: JavaScript could not say them all. */
const NO_WHOLE_NUMBERS = [
  '-1',
  '1.5',
  '0.1',
  '-0.5',
  '1e-1',
  '5e-324',
  '1e308',
  '1e309',
  '-1e309',
  '2147483648e10',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999',
  '"100"',
  '"1e3"',
  '""',
  'null',
  'true',
  '[100]',
  '{}',
  '{"$numberLong":"100"}',
  '"NaN"',
  '"Infinity"',
];
/** Tokens that are no JSON. */
const NO_JSON = ['NaN', 'Infinity', '-Infinity', '0x10', '0100', '+1', '1_000', '.5', '5.', '1e', "'1'", 'undefined'];

/** Some of those that the schema of a currency refuses; its own test has all of them. */
const CURRENCIES = ['usdd', 'USD', ' usd', 'btc', '', 'uѕd', 'usd\u0000', '__proto__'];

let tenant: Tenant;
let ids: { productId: string; priceId: string; customerId: string; paymentId: string; subscriptionId: string };
beforeAll(async () => {
  tenant = await newTenant();
  const [price, customerId] = await Promise.all([newMonthlyPrice(tenant), newCustomer(tenant)]);
  const paymentId = await newPayment(tenant, price.priceId);
  const [subscription] = (await tenant.billing.subscriptions.list().page()).items;
  ids = { ...price, customerId, paymentId, subscriptionId: subscription?.id ?? '' };
});

/** The numbers of the API: where each is sent, in a valid body, and its greatest value. */
const numbers = () => {
  const { productId, priceId, customerId, paymentId, subscriptionId } = ids;
  const preview = `/subscriptions/${subscriptionId}/change/preview`;
  const percent = { name: 'Spring', percentOff: 20, duration: 'once' };
  const amount = { name: 'Spring', amountOff: 1, currency: 'usd', duration: 'once' };
  const months = { name: 'Spring', percentOff: 20, duration: 'repeating', durationInMonths: 1 };
  const refund = `/payments/${paymentId}/refund`;
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const price = { productId, unitAmount: 100, currency: 'usd', interval: 'month' };
  const program = { enabled: false, referrerCreditAmount: 1, refereeCreditAmount: 1 };
  const checkout = { customerId, priceId, ...urls };
  return [
    { method: 'POST', path: '/prices', field: 'unitAmount', body: price, max: 99_999_999, min: 0 },
    { method: 'POST', path: '/prices', field: 'intervalCount', body: { ...price, intervalCount: 1 }, max: 36, min: 1 },
    { method: 'PUT', path: '/referrals/config', field: 'referrerCreditAmount', body: program, max: 99_999_999, min: 0 },
    { method: 'PUT', path: '/referrals/config', field: 'refereeCreditAmount', body: program, max: 99_999_999, min: 0 },
    { method: 'POST', path: '/checkout', field: 'quantity', body: { ...checkout, quantity: 1 }, max: 999_999, min: 1 },
    { method: 'POST', path: '/checkout', field: 'trialDays', body: { ...checkout, trialDays: 1 }, max: 730, min: 1 },
    { method: 'POST', path: '/portal', field: 'ttlMs', body: { customerId, ttlMs: 1 }, max: 2_592_000_000, min: 1 },
    { method: 'POST', path: preview, field: 'quantity', body: { quantity: 2 }, max: 999_999, min: 1 },
    { method: 'POST', path: '/coupons', field: 'amountOff', body: amount, max: 99_999_999, min: 1 },
    { method: 'POST', path: '/coupons', field: 'maxRedemptions', body: percent, max: 999_999_999, min: 1 },
    { method: 'POST', path: '/coupons', field: 'durationInMonths', body: months, max: 120, min: 1 },
    { method: 'POST', path: refund, field: 'amount', body: { amount: 1 }, max: 999_999_999_999, min: 1 },
  ];
};

const MAY_BE_LEFT_OUT = new Set([
  'intervalCount',
  'quantity',
  'trialDays',
  'ttlMs',
  'amount',
  'maxRedemptions',
  'amountOff',
  'durationInMonths',
]);

/** Sends the body with a token in one field, as it is written. */
async function sendToken({ method, path, field, body }: ReturnType<typeof numbers>[number], token: string) {
  const text = JSON.stringify({ ...body, [field]: '@' }).replace('"@"', () => token);
  const headers = { authorization: `Bearer ${tenant.secret}`, 'content-type': 'application/json' };
  const response = await send(inject('gatewayUrl'), {
    method,
    path: tenant.P + path,
    headers,
    body: Buffer.from(text),
  });
  return {
    status: response.status,
    body: JSON.parse(response.text) as { error?: { details?: { fields: { path: string }[] } } },
  };
}

describe('amounts and other numbers', () => {
  it('S21: a negative, broken, huge or non-numeric amount, quantity, interval count, trial or time to live is 400 and named', async () => {
    const cases = numbers().flatMap(number =>
      [...NO_WHOLE_NUMBERS, String(number.min - 1), String(number.max + 1)].map(token => ({ number, token })),
    );
    // Null is nothing where a number may be left out.
    const refused = cases.filter(({ number, token }) => token !== 'null' || !MAY_BE_LEFT_OUT.has(number.field));
    await mapConcurrently(refused, async ({ number, token }) => {
      const { status, body } = await sendToken(number, token);
      const row = `${number.field}: ${token}`;
      expect({ row, status }).toEqual({ row, status: 400 });
      expect(new Set(body.error?.details?.fields.map(({ path }) => path)), row).toEqual(new Set([number.field]));
    });
  });

  it('S21: a percentage that is none, or has more than two decimals, is 400 and named', async () => {
    for (const percentOff of [0, -1, 100.01, 1_000, 33.333, 1e308, '20', true, [20], {}]) {
      const body = { name: 'Spring', percentOff, duration: 'once' };
      const { status, body: refused } = await tenant.api.post(`${tenant.P}/coupons`, body);
      expect({ percentOff, status }).toEqual({ percentOff, status: 400 });
      expect(refused.error.details.fields[0].path).toBe('percentOff');
    }
  });

  it('S21: NaN, Infinity, hexadecimal and octal numbers are no JSON, and 400', async () => {
    const cases = numbers().flatMap(number => NO_JSON.map(token => ({ number, token })));
    await mapConcurrently(cases, async ({ number, token }) => {
      expect((await sendToken(number, token)).status, `${number.field}: ${token}`).toBe(400);
    });
  });

  it('S21: the smallest and greatest values are accepted, and 1.0 and 1e2 are the whole numbers they say', async () => {
    for (const number of numbers())
      for (const token of [String(number.min), String(number.max)])
        expect((await sendToken(number, token)).status, `${number.field}: ${token}`).toBeOneOf(
          // More than was paid, or as many as there are.
          (number.field === 'amount' && token !== '1') || (number.path.endsWith('/preview') && token === '1')
            ? [422]
            : [200, 201],
        );
    const [unitAmount] = numbers();
    for (const [token, amount] of [
      ['1.0', 1],
      ['1E2', 100],
      ['-0', 0],
    ] as const)
      expect(unitAmount && (await sendToken(unitAmount, token)).body, token).toMatchObject({
        price: { unitAmount: amount },
      });
  });

  it('S21: an unknown, long, upper-case or look-alike currency is 400 everywhere', async () => {
    const { api, user, P, teamPath } = tenant;
    const { productId } = ids;
    const program = { enabled: false, referrerCreditAmount: 1, refereeCreditAmount: 1 };
    await mapConcurrently(CURRENCIES, async currency => {
      const statuses = await Promise.all([
        api.post(`${P}/prices`, { productId, unitAmount: 1, currency, interval: 'month' }),
        api.put(`${P}/referrals/config`, { ...program, currency }),
        api.post(`${P}/coupons`, { name: 'Spring', amountOff: 1, currency, duration: 'once' }),
        user.post(`${teamPath}/projects`, { name: 'x', baseCurrency: currency }),
        user.patch(P, { baseCurrency: currency }),
      ]);
      expect(
        statuses.map(({ status }) => status),
        currency,
      ).toEqual([400, 400, 400, 400, 400]);
    });
  });
});
