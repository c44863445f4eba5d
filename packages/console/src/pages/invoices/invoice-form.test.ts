import type { Price, Product } from '@billing/client';
import { invoiceCreate } from '@billing/contracts/resources/invoice-create';
import { PriceId, ProductId } from '@billing/contracts/ids';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { costOf, currencyOf, newInvoiceForm, readInvoiceForm, type InvoiceForm, type LineRow } from './invoice-form.ts';
import { billableOf, kindsOf, LINE_KINDS, newLine, type LineForm } from './line-form.ts';

const [priceId, productId] = [PriceId.example, ProductId.example];
// Only what the form reads.
const price = (fields: Partial<Price>) =>
  ({ id: priceId, productId, currency: 'eur', type: 'one_time', isActive: true, ...fields }) as Price;
const product = (fields: Partial<Product> = {}) => ({ id: productId, isActive: true, ...fields }) as Product;
const PRICES = [price({})];

const LINE: LineRow = {
  key: '1',
  kind: 'amount',
  priceId,
  productId,
  quantity: '1',
  amount: '49',
  description: 'Setup',
};
const FORM = newInvoiceForm({ customerId: 'pc_00000000000000000001', currency: 'usd', lines: [LINE] });
const read = (changes: Partial<InvoiceForm>) => readInvoiceForm({ ...FORM, ...changes }, PRICES);
const line = (changes: Partial<LineForm>) => read({ lines: [{ ...LINE, ...changes }] });

it('reads each kind of line, a reduction as an amount that is taken off', () => {
  const lines = [
    { ...LINE, kind: 'price', quantity: '2' },
    { ...LINE, kind: 'product', quantity: '3', description: ' ' },
    { ...LINE, kind: 'product', amount: '0.50' },
    { ...LINE, kind: 'reduction', amount: '10', description: ' Goodwill ' },
  ] as const;
  expect(read({ lines })).toMatchObject({
    invoice: {
      lines: [
        { priceId, quantity: 2 },
        { productId, unitAmount: 4_900, quantity: 3 },
        { productId, unitAmount: 50, quantity: 1, description: 'Setup' },
        { description: 'Goodwill', amount: -1_000 },
      ],
    },
  });
});

it('bills in the currency of the first price, else in the one that is chosen', () => {
  const withPrice = { lines: [LINE, { ...LINE, kind: 'price' } as const] };
  expect(currencyOf({ ...FORM, ...withPrice }, PRICES)).toBe('eur');
  expect(read(withPrice)).not.toHaveProperty('invoice.currency');
  expect(read({ currency: 'jpy', lines: [{ ...LINE, amount: '4900' }] })).toMatchObject({
    invoice: { currency: 'jpy', lines: [{ amount: 4_900 }] },
  });
});

it('sends a due date with an invoice alone, and what becomes of a failure with a charge alone', () => {
  expect([read({}), read({ collect: 'invoice', daysUntilDue: ' 0 ' })]).toEqual([
    { invoice: expect.objectContaining({ collect: 'saved', onFailure: 'void', draft: false }) },
    { invoice: expect.objectContaining({ collect: 'invoice', daysUntilDue: 0 }) },
  ]);
  expect(read({})).not.toHaveProperty('invoice.daysUntilDue');
  expect(read({ collect: 'invoice' })).not.toHaveProperty('invoice.onFailure');
});

it('says nothing of tax, texts and codes that the form leaves open', () => {
  expect(read({})).toEqual({
    invoice: {
      customerId: FORM.customerId,
      lines: [{ description: 'Setup', amount: 4_900 }],
      currency: 'usd',
      collect: 'saved',
      onFailure: 'void',
      draft: false,
    },
  });
  expect(read({ automaticTax: 'off', memo: ' Thanks ', promotionCode: 'SPRING20', isDraft: true })).toMatchObject({
    invoice: { automaticTax: false, memo: 'Thanks', promotionCode: 'SPRING20', draft: true },
  });
});

it('says what is missing', () => {
  expect([
    read({ customerId: '' }),
    read({ lines: [] }),
    line({ kind: 'price', quantity: '0' }),
    line({ amount: '' }),
    line({ amount: '-5' }),
    line({ description: ' ' }),
    read({ collect: 'invoice', daysUntilDue: '' }),
    read({ collect: 'invoice', daysUntilDue: '366' }),
  ]).toEqual([
    { missing: 'Choose the customer.' },
    { missing: 'Add what is billed.' },
    { missing: 'Each quantity is a whole number above zero.' },
    { missing: 'Write the amount of each line.' },
    { missing: 'Write the amount of each line.' },
    { missing: 'Write what each amount is for.' },
    { missing: 'An invoice is due in 0 to 365 days.' },
    { missing: 'An invoice is due in 0 to 365 days.' },
  ]);
});

it('previews again only when what it costs has changed', () => {
  const cost = (changes: Partial<InvoiceForm>) => {
    const wanted = read(changes);
    return 'invoice' in wanted && costOf(wanted.invoice);
  };
  expect(cost({ collect: 'invoice', memo: 'Thanks', purchaseOrder: '17', isDraft: true })).toEqual(cost({}));
  expect(cost({ promotionCode: 'SPRING20' })).not.toEqual(cost({}));
});

it('offers one-time prices and products that are sold, and no kind without any', () => {
  const archived = product({ id: 'pp_00000000000000000002', isActive: false });
  const others = [price({ isActive: false }), price({ type: 'recurring' }), price({ productId: archived.id })];
  const billable = billableOf([...others, ...PRICES], [archived, product()]);
  expect(billable).toEqual({ prices: PRICES, products: [product()] });
  expect([newLine(billable).kind, newLine({ prices: [], products: [] }).kind]).toEqual(['price', 'amount']);
  expect(kindsOf({ prices: [], products: [product()] })).toEqual(['product', 'amount', 'reduction']);
});

it('makes of any form an invoice that the service takes, or says what is missing', () => {
  const kinds = Object.keys(LINE_KINDS) as (keyof typeof LINE_KINDS)[]; // it has no other keys
  const quantity = fc.oneof(fc.constantFrom('', '0', '1.5', '999999', '1000000', ' 7 '), fc.nat().map(String));
  const amount = fc.oneof(fc.constantFrom('', '0', '1,234.50', '-3', '$5', '999999.99', '1000000'), fc.string());
  const text = fc.oneof(fc.constant(''), fc.constant('  '), fc.string({ maxLength: 140, unit: 'grapheme-ascii' }));
  const row = fc.record({
    key: fc.constant(''),
    kind: fc.constantFrom(...kinds),
    priceId: fc.constant(priceId),
    productId: fc.constant(productId),
    quantity,
    amount,
    description: text,
  });
  const form = fc.record({
    customerId: fc.constantFrom('', FORM.customerId),
    lines: fc.array(row, { maxLength: 5 }),
    currency: fc.constantFrom('usd', 'jpy', 'kwd', 'ugx'),
    collect: fc.constantFrom('saved' as const, 'invoice' as const),
    daysUntilDue: quantity,
    onFailure: fc.constantFrom('void' as const, 'keep' as const),
    promotionCode: fc.constantFrom('', 'SPRING20'),
    purchaseOrder: text,
    memo: text,
    footer: text,
    automaticTax: fc.constantFrom('' as const, 'on' as const, 'off' as const),
    isDraft: fc.boolean(),
  });
  fc.assert(
    fc.property(form, written => {
      const wanted = readInvoiceForm(written, PRICES);
      if ('missing' in wanted) return wanted.missing !== '';
      return [wanted.invoice, costOf(wanted.invoice)].every(one => invoiceCreate.safeParse(one).success);
    }),
    { numRuns: runs(2_000) },
  );
});
