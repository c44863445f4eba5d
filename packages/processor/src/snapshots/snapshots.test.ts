import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { addMissingAmounts } from '../stripe/missing-amounts.ts';
import { readPrice } from './catalog.ts';
import { readCheckoutSession } from './checkout-session.ts';
import { readCustomer } from './customer.ts';
import { CutList } from './fields.ts';
import { readInvoice, readInvoiceLinks } from './invoice.ts';
import { readSubscription } from './subscription.ts';

const price = {
  id: 'price_1',
  object: 'price',
  product: 'prod_1',
  unit_amount: 2_999,
  currency: 'usd',
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
  active: true,
  metadata: {},
  created: 1_700_000_000,
};
const subscription = {
  id: 'sub_1',
  customer: 'cus_1',
  status: 'active',
  cancel_at_period_end: false,
  cancel_at: null,
  start_date: 1_700_000_000,
  ended_at: null,
  metadata: { projectId: 'proj_1' },
  created: 1_700_000_000,
  items: { data: [{ id: 'si_1', price, quantity: 3 }] },
};
const period = { current_period_start: 1_700_000_000, current_period_end: 1_702_592_000 };

describe('a subscription', () => {
  it('is parsed the same with its period on it or on its items', () => {
    const old = { ...subscription, ...period };
    const items = { data: [{ id: 'si_1', price, quantity: 3, ...period }] };
    expect(readSubscription(old)).toEqual(readSubscription({ ...subscription, items }));
    expect(readSubscription(old).currentPeriodEnd).toEqual(new Date(1_702_592_000_000));
  });

  it('is set to end at the period’s end or at a time', () => {
    const atATime = { cancelAtPeriodEnd: true, cancelAt: new Date(1_702_592_000_000) };
    expect(readSubscription({ ...subscription, cancel_at: 1_702_592_000 })).toMatchObject(atATime);
    const withItsPeriod = readSubscription({ ...subscription, cancel_at_period_end: true });
    expect(withItsPeriod).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: withItsPeriod.currentPeriodEnd });
    expect(readSubscription(subscription)).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null });
  });

  it('may have an unknown status', () => {
    expect(readSubscription({ ...subscription, status: 'hibernating' }).status).toBeNull();
  });

  it('may be paused, with or without a time', () => {
    const paused = (more: object) => readSubscription({ ...subscription, pause_collection: more }).pauseCollection;
    expect(paused({ behavior: 'void', resumes_at: null })).toEqual({ behavior: 'void', resumesAt: null });
    const resumesAt = new Date(1_702_592_000_000);
    expect(paused({ behavior: 'keep_as_draft', resumes_at: 1_702_592_000 })).toEqual({
      behavior: 'keep_as_draft',
      resumesAt,
    });
    expect(readSubscription(subscription).pauseCollection).toBeNull();
  });

  it.each([
    [{ reason: 'payment_failed' }, true],
    [{ reason: 'payment_disputed' }, true],
    [{ reason: 'cancellation_requested', feedback: 'unused' }, false],
    [{ reason: null }, false],
    [{}, false],
    [null, false],
  ])('ended by %j: involuntary is %s', (details, involuntary) => {
    expect(readSubscription({ ...subscription, cancellation_details: details })).toMatchObject({ involuntary });
  });

  it('has the request of its cancellation beside its end', () => {
    const read = readSubscription({ ...subscription, canceled_at: 1_700_000_001, ended_at: 1_702_592_000 });
    expect(read).toMatchObject({ canceledAt: new Date(1_700_000_001_000), endedAt: new Date(1_702_592_000_000) });
  });
});

describe('the amount of a price', () => {
  const amountOf = (changes: object) => {
    const { unitAmount, unitAmountDecimal } = readPrice({ ...price, ...changes });
    return { unitAmount, unitAmountDecimal };
  };

  it('is exact, from a webhook event as from the library', () => {
    const fraction = { unitAmount: null, unitAmountDecimal: '0.5' };
    expect(amountOf({ unit_amount: null, unit_amount_decimal: '0.500' })).toEqual(fraction);
    expect(amountOf({ unit_amount: null, unit_amount_decimal: Stripe.Decimal.from('0.50') })).toEqual(fraction);
    const whole = { unitAmount: 2_900, unitAmountDecimal: '2900' };
    expect(amountOf({ unit_amount: 2_900, unit_amount_decimal: '2900' })).toEqual(whole);
    expect(amountOf({ unit_amount: 2_900 })).toEqual(whole);
  });

  it('may be missing, for tiers', () => {
    const tiered = { billing_scheme: 'tiered', unit_amount: null, unit_amount_decimal: null };
    expect(amountOf(tiered)).toEqual({ unitAmount: null, unitAmountDecimal: null });
    expect(readPrice({ ...price, ...tiered })).toMatchObject({ billingScheme: 'tiered' });
  });

  it('is for so many units, if the price transforms the quantity', () => {
    const read = readPrice({ ...price, transform_quantity: { divide_by: 5, round: 'up' } });
    expect(read.transformQuantity).toEqual({ divideBy: 5, round: 'up' });
    expect(readPrice(price).transformQuantity).toBeNull();
  });
});

describe('an item in another currency than its price', () => {
  const inEuros = { ...subscription, currency: 'eur' };
  const amounts = { eur: { unit_amount: null, unit_amount_decimal: '27.5' }, usd: { unit_amount: 2_999 } };
  const inEurosWith = (more: object) =>
    readSubscription({ ...inEuros, items: { data: [{ id: 'si_1', price: { ...price, ...more } }] } });

  it('has the amount of its own currency, where the object contains it', () => {
    const { currency, items } = inEurosWith({ currency_options: amounts });
    expect(currency).toBe('eur');
    expect(items).toMatchObject([{ amount: { unitAmount: null, unitAmountDecimal: '27.5' } }]);
    expect(readSubscription(subscription).items).toMatchObject([{ amount: { unitAmount: 2_999 } }]);
  });

  it('lacks it otherwise, until the price is read', async () => {
    const found: string[] = [];
    const snapshot = inEurosWith({});
    expect(snapshot.items).toMatchObject([{ amount: null }]);
    const complete = await addMissingAmounts(snapshot, async id => {
      found.push(id);
      return readPrice({ ...price, currency_options: amounts });
    });
    expect(complete.items).toMatchObject([{ amount: { unitAmount: null, unitAmountDecimal: '27.5' } }]);
    expect(await addMissingAmounts(complete, () => Promise.reject(new Error('not needed')))).toBe(complete);
    expect(found).toEqual(['price_1']);
  });

  it('has none where the price has tiers or not this currency', () => {
    const none = { unitAmount: null, unitAmountDecimal: null };
    expect(inEurosWith({ billing_scheme: 'tiered', unit_amount: null }).items).toMatchObject([{ amount: none }]);
    expect(inEurosWith({ currency_options: {} }).items).toMatchObject([{ amount: none }]);
  });
});

describe('an invoice', () => {
  const invoice = {
    id: 'in_1',
    customer: 'cus_1',
    status: 'paid',
    amount_due: 2_999,
    amount_paid: 2_999,
    amount_remaining: 0,
    currency: 'usd',
    created: 1_700_000_000,
  };

  it('has its subscription in the old and in the new field', () => {
    const old = { ...invoice, subscription: 'sub_1', subscription_details: { metadata: { projectId: 'proj_1' } } };
    const details = { subscription: 'sub_1', metadata: { projectId: 'proj_1' } };
    const read = readInvoice({ ...invoice, parent: { subscription_details: details } });
    expect(read).toMatchObject({ subscriptionId: 'sub_1', subscriptionMetadata: { projectId: 'proj_1' } });
    expect(readInvoice(old)).toEqual(read);
  });

  it('has its taxes under the names of each API version, of the oldest their sum alone', () => {
    const tax = { amount: 479, taxable_amount: 2_520, taxability_reason: 'standard_rated' };
    const read = readInvoice({ ...invoice, total_taxes: [{ ...tax, tax_behavior: 'inclusive' }] });
    const taxes = [{ amount: 479, taxableAmount: 2_520, inclusive: true, reason: 'standard_rated' }];
    expect(read).toMatchObject({ tax: 479, taxes });
    expect(readInvoice({ ...invoice, total_tax_amounts: [{ ...tax, inclusive: true }], tax: 479 })).toEqual(read);
    expect(readInvoice({ ...invoice, total_tax_amounts: [], tax: 479 })).toMatchObject({ tax: 479, taxes: [] });
    expect(readInvoice({ ...invoice, tax: null })).toMatchObject({ tax: 0, taxes: [] });
  });

  it('is not read without the lines that it cuts; what it is linked to is', () => {
    const cut = { ...invoice, lines: { object: 'list', data: [], has_more: true }, payment_intent: 'pi_1' };
    expect(() => readInvoice(cut)).toThrow(CutList);
    expect(readInvoiceLinks(cut)).toEqual({ id: 'in_1', subscriptionId: null, amountDue: 2_999, paymentIds: ['pi_1'] });
  });
});

describe('a customer', () => {
  it('may be the stub of a deleted customer', () => {
    expect(readCustomer({ id: 'cus_1', object: 'customer', deleted: true })).toEqual({ deleted: true, id: 'cus_1' });
  });

  it('has what the next invoices use as a credit, in every API version', () => {
    const customer = { id: 'cus_1', created: 1, balance: -500, currency: 'usd' };
    expect(readCustomer(customer)).toMatchObject({ balance: { credit: 500, currency: 'usd' } });
    const { balance, ...old } = customer;
    expect(readCustomer({ ...old, account_balance: 0 - balance })).toMatchObject({ balance: { credit: -500 } });
    expect(readCustomer({ ...customer, balance: 0, currency: null })).toMatchObject({ balance: null });
  });
});

describe('a checkout session', () => {
  it('has ids where the processor expanded objects', () => {
    const session = { id: 'cs_1', mode: 'subscription', payment_status: 'paid', subscription: { id: 'sub_1' } };
    expect(readCheckoutSession(session)).toMatchObject({ subscriptionId: 'sub_1', setupIntentId: null });
  });
});

describe('an object beyond the limits of Stripe', () => {
  const customer = { id: 'cus_1', metadata: {}, created: 1_700_000_000 };
  const metadataOf = (keys: number, value = 'x', key = '') =>
    Object.fromEntries(Array.from({ length: keys }, (_, index) => [`${index}`.padStart(2, '0') + key, value]));

  it('S76: is rejected with any text, metadata or list that is too long, by a short message', () => {
    const long = 'x'.repeat(900_000);
    const rejected: [read: (raw: unknown) => unknown, object: object, fault: string][] = [
      [readCustomer, { ...customer, name: long }, 'name: expected a text of at most 1024 characters'],
      [readCustomer, { ...customer, id: long }, 'id: expected a text of at most 1024 characters'],
      [readCustomer, { ...customer, metadata: metadataOf(51) }, 'metadata: expected an object of at most 50 texts'],
      [readCustomer, { ...customer, metadata: metadataOf(1, 'x'.repeat(501)) }, 'metadata: expected'],
      [readCustomer, { ...customer, metadata: metadataOf(1, 'x', 'k'.repeat(39)) }, 'metadata: expected'],
      [readPrice, { ...price, unit_amount_decimal: '9'.repeat(900_000) }, 'unit_amount_decimal: expected'],
      [readPrice, { ...price, currency_options: { [long]: 1 } }, 'expected an object'],
      [readInvoice, { ...customer, hosted_invoice_url: long }, 'hosted_invoice_url: expected a text of at most 10000'],
      [
        readSubscription,
        { ...subscription, items: { data: Array.from({ length: 1_001 }, () => subscription.items.data[0]) } },
        'items: expected at most 1000 items',
      ],
      [readSubscription, { ...subscription, discounts: [long] }, 'expected'],
      [
        readSubscription,
        { ...subscription, items: { data: Array.from({ length: 1_000 }, () => ({})) } },
        'items.data.0',
      ],
    ];
    for (const [read, object, fault] of rejected) {
      const message = messageOf(() => read(object));
      expect(message).toContain(fault);
      expect(message.length).toBeLessThan(5_000);
    }
  });

  it('is no object within them, whatever its characters', () => {
    const metadata = metadataOf(50, '🧾'.repeat(500), '🔑'.repeat(38));
    expect(readCustomer({ ...customer, metadata })).toMatchObject({ metadata });
  });
});

function messageOf(read: () => unknown): string {
  try {
    read();
    return 'It was parsed.';
  } catch (err) {
    return String(err);
  }
}
