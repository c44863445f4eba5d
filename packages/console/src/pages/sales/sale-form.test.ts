import type { Price } from '@billing/client';
import { CustomerId, PriceId } from '@billing/contracts/ids';
import { checkoutCreate } from '@billing/contracts/resources/checkout';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  COLLECTIONS,
  costOf,
  currenciesOf,
  newSaleForm,
  readSaleForm,
  TRIAL_ENDS,
  type SaleForm,
} from './sale-form.ts';

const idOf = (digit: number) => PriceId.example.slice(0, -1) + String(digit);
const [monthly, setup, metered] = [idOf(1), idOf(2), idOf(3)];
// Only what the form reads.
const price = (id: string, fields: object = {}) => ({ id, type: 'recurring', currency: 'usd', ...fields }) as Price;
const PRICES = [price(monthly), price(setup, { type: 'one_time' }), price(metered, { usageType: 'metered' })];
const row = (priceId: string, quantity = '1') => ({ key: priceId, priceId, quantity });

const FORM = newSaleForm({ customerId: CustomerId.example, rows: [row(monthly)], collect: 'saved' });
const read = (changes: Partial<SaleForm>) => readSaleForm({ ...FORM, ...changes }, PRICES);

it('sells recurring and one-time prices together, and usage without a quantity', () => {
  expect(read({ rows: [row(monthly, '3'), row(setup), row(metered, '')] })).toEqual({
    sale: {
      customerId: FORM.customerId,
      items: [{ priceId: monthly, quantity: 3 }, { priceId: setup, quantity: 1 }, { priceId: metered }],
      collect: 'saved',
    },
  });
});

it('sells once, and without a trial, on a page alone', () => {
  const rows = [row(setup)];
  expect(read({ rows, collect: 'page', trialDays: '14' })).toEqual({
    sale: { customerId: FORM.customerId, items: [{ priceId: setup, quantity: 1 }], collect: 'page', mode: 'payment' },
  });
  expect(read({ rows })).toEqual({ missing: expect.stringContaining('billed again and again') });
});

it('says what ends a trial where a payment method is needed then', () => {
  const trial = { trialDays: '14', trialEnd: 'pause' } as const;
  expect(read(trial)).toMatchObject({ sale: { trialDays: 14, trialEndsWithoutMethod: 'pause' } });
  expect(read({ ...trial, collect: 'invoice' })).not.toHaveProperty('sale.trialEndsWithoutMethod');
  expect(read({ trialEnd: 'pause' })).not.toHaveProperty('sale.trialEndsWithoutMethod');
});

it('sends what a page asks for with a page alone, and a due date with an invoice alone', () => {
  expect(read({ collect: 'page', asksForMethod: false })).toMatchObject({
    sale: { paymentMethodCollection: 'if_required' },
  });
  expect(read({ asksForMethod: false })).not.toHaveProperty('sale.paymentMethodCollection');
  expect(read({ collect: 'invoice', daysUntilDue: '0' })).toMatchObject({ sale: { daysUntilDue: 0 } });
  expect(read({})).not.toHaveProperty('sale.daysUntilDue');
});

it('offers the currencies that all prices have', () => {
  const prices = [
    { id: monthly, currency: 'usd', currencyOptions: { eur: {}, gbp: {} } },
    { id: setup, currency: 'eur', currencyOptions: { usd: {} } },
  ];
  expect(currenciesOf({ rows: [row(monthly)] }, prices)).toEqual(['usd', 'eur', 'gbp']);
  expect(currenciesOf({ rows: [row(monthly), row(setup)] }, prices)).toEqual(['usd', 'eur']);
  expect(read({ currency: 'eur' })).not.toHaveProperty('sale.currency');
});

it('says what is missing', () => {
  expect([
    read({ customerId: '' }),
    read({ rows: [row(monthly, '0')] }),
    read({ trialDays: '0' }),
    read({ trialDays: '731' }),
    read({ collect: 'invoice', daysUntilDue: '' }),
    read({ collect: 'invoice', daysUntilDue: '366' }),
  ]).toEqual([
    { missing: 'Choose the customer.' },
    { missing: 'Each quantity is a whole number above zero.' },
    { missing: 'A trial has 1 to 730 days.' },
    { missing: 'A trial has 1 to 730 days.' },
    { missing: 'An invoice is due in 0 to 365 days.' },
    { missing: 'An invoice is due in 0 to 365 days.' },
  ]);
});

it('previews again only when what is due has changed', () => {
  const cost = (changes: Partial<SaleForm>) => {
    const wanted = read(changes);
    return 'sale' in wanted ? costOf(wanted.sale) : undefined;
  };
  expect(cost({ collect: 'nothing' })).toEqual(cost({}));
  expect(cost({ collect: 'page', asksForMethod: false })).toEqual(cost({}));
  expect(cost({ trialDays: '3' })).not.toEqual(cost({}));
  expect(cost({ rows: [row(setup)], collect: 'page' })).toBeUndefined();
});

it('makes of any form a sale that the service takes, or says what is missing', () => {
  const number = fc.oneof(
    fc.constantFrom('', '0', '1.5', '730', '999999', '1000000', ' 7 ', 'x'),
    fc.nat().map(String),
  );
  const form = fc.record({
    customerId: fc.constantFrom('', FORM.customerId),
    rows: fc.uniqueArray(
      fc.record({ key: fc.constant(''), priceId: fc.constantFrom(monthly, setup, metered), quantity: number }),
      {
        selector: ({ priceId }) => priceId,
        minLength: 1,
      },
    ),
    currency: fc.constantFrom('', 'usd', 'eur'),
    trialDays: number,
    trialEnd: fc.constantFrom(...(Object.keys(TRIAL_ENDS) as SaleForm['trialEnd'][])), // it has no other keys
    promotionCode: fc.constantFrom('', ' ', 'SPRING20'),
    isOncePerCustomer: fc.boolean(),
    collect: fc.constantFrom(...(Object.keys(COLLECTIONS) as SaleForm['collect'][])), // it has no other keys
    daysUntilDue: number,
    asksForMethod: fc.boolean(),
  });
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  fc.assert(
    fc.property(form, written => {
      const wanted = readSaleForm(written, PRICES);
      if ('missing' in wanted) return wanted.missing !== '';
      const cost = costOf(wanted.sale);
      const sent = { ...wanted.sale, ...(written.collect === 'page' && urls) };
      return checkoutCreate.safeParse(sent).success && (!cost || checkoutCreate.safeParse(cost).success);
    }),
    { numRuns: runs(1_000) },
  );
});
