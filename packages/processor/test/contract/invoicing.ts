import { randomUUID } from 'node:crypto';
import { BERLIN } from '@billing/testing/addresses';
import { expect, it } from 'vitest';
import { isMissing, isRefused, ProcessorError } from '../../src/errors.ts';
import type { NewInvoice, NewInvoiceLine } from '../../src/invoicing.ts';
import type { InvoicePreview } from '../../src/snapshots/invoice-preview.ts';
import type { InvoiceSnapshot } from '../../src/snapshots/invoice.ts';
import { stripeClient } from '../../src/stripe-client.ts';
import type { Cases } from './cases.ts';

const DAY_MS = 86_400_000;

/** What a preview and the invoice must agree on; the order of lines is the processor's. */
export const essenceOf = ({ subtotal, discount, tax, total, amountDue, lines }: InvoicePreview | InvoiceSnapshot) => ({
  lines: lines.map(({ description, amount, quantity }) => `${description}: ${amount}, ${quantity}`).toSorted(),
  subtotal,
  discount,
  tax,
  total,
  amountDue,
});

/** Tests invoices beside subscriptions. */
export function invoicingCases(cases: Cases): void {
  const { processor, standIn, key, createCustomer, createPrice, createCode, monthly } = cases;
  const fee: NewInvoiceLine = { description: 'Setup', amount: 5_000 };
  const draft = async (lines: readonly NewInvoiceLine[] = [fee], more: Partial<NewInvoice> = {}) => {
    const customerId = more.customerId ?? (await createCustomer()).id;
    const terms = { customerId, currency: 'usd', automaticTax: false, metadata: {}, ...more };
    const invoice = await processor().createInvoice(terms, key());
    if (lines.length > 0) await processor().addInvoiceLines(invoice.id, { currency: 'usd', lines }, key());
    return { terms, id: invoice.id };
  };
  const open = async (more: Partial<NewInvoice> = {}) => {
    const { id } = await draft([fee], more);
    return processor().finalizeInvoice(id, false, key());
  };

  it.each([
    { taxBehavior: undefined, title: 'untaxed' },
    { taxBehavior: 'exclusive' as const, title: 'with tax on top' },
    { taxBehavior: 'inclusive' as const, title: 'with tax within' },
  ])('is as it was previewed to the cent, $title, with a code and credit', async ({ taxBehavior }) => {
    const { id: customerId } = await createCustomer();
    await processor().updateCustomer(customerId, { billing: { address: BERLIN } }, key());
    const credit = { amount: -700, currency: 'usd', description: 'Referral', metadata: {} };
    await processor().createBalanceTransaction(customerId, credit, key());
    const price = await createPrice(null);
    const other = await createPrice(null);
    // Stripe taxes no line whose price does not say how.
    const untaxed = [{ productId: other.productId, unitAmount: 333, quantity: 3, description: 'Hours' }, fee];
    if (taxBehavior) for (const { id } of [price, other]) await processor().updatePrice(id, { taxBehavior }, key());
    const lines: NewInvoiceLine[] = [
      { priceId: price.id, quantity: 3 },
      { priceId: other.id, quantity: 1 },
      ...(taxBehavior ? [] : [...untaxed, { description: 'Discount of an agreement', amount: -150 }]),
    ];
    const promotionCodeId = (await createCode(price.productId)).id;
    const terms = { customerId, currency: 'usd', automaticTax: taxBehavior !== undefined, promotionCodeId };

    const preview = await processor().previewLines(terms, lines);

    expect(preview).toMatchObject({ currency: 'usd', startingBalance: -700, discount: 2_999, prorationDate: null });
    const { id } = await draft(lines, terms);
    const drafted = await processor().findInvoice(id);
    expect(drafted).toMatchObject({ status: 'draft', billingReason: 'manual', subscriptionId: null, number: null });
    expect(essenceOf(drafted)).toEqual(essenceOf(preview));
    const finalized = await processor().finalizeInvoice(id, false, key());
    expect(finalized).toMatchObject({ status: 'open', number: expect.any(String) });
    expect(essenceOf(finalized)).toEqual(essenceOf(preview));
    expect((await processor().findInvoice(id)).hostedInvoiceUrl).toMatch(/^http/);
  });

  it('leaves what waits for the next invoice alone, in a draft and in its preview', async () => {
    const { id: customerId } = await createCustomer();
    const stripe = stripeClient(standIn().secretKey, standIn().baseUrl);
    const item = { customer: customerId, amount: 900, currency: 'usd', description: 'Waits' };
    await stripe.invoiceItems.create(item, { idempotencyKey: key() });
    const { id, terms } = await draft([fee], { customerId });
    const fees = { subtotal: 5_000, total: 5_000, amountDue: 5_000, lines: [{ description: 'Setup', amount: 5_000 }] };
    expect(await processor().previewLines(terms, [fee])).toMatchObject(fees);
    expect(await processor().findInvoice(id)).toMatchObject(fees);
    expect((await stripe.invoiceItems.list({ customer: customerId, pending: true })).data).toHaveLength(1);
  });

  it('has its own fields, and all its lines', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => ({ description: `Part ${index}`, amount: 100 + index }));
    const invoiceFields = [{ name: 'PO number', value: '2026-17' }];
    const texts = { memo: 'Thank you', footer: 'A footer', metadata: { a: 'b' } };
    const { id, terms } = await draft(lines, { invoiceFields, ...texts });
    const invoice = await processor().findInvoice(id);
    expect(invoice).toMatchObject({ purchaseOrder: '2026-17', metadata: { a: 'b' } });
    expect(invoice.lines).toHaveLength(12);
    expect((await processor().previewLines(terms, lines)).lines).toHaveLength(12);
  });

  it('is created once under one idempotency key, and found by the operation that created it', async () => {
    const metadata = { operationId: randomUUID() };
    const { id: customerId } = await createCustomer();
    const sameKey = key();
    const wanted = { customerId, currency: 'usd', automaticTax: false, metadata };
    const invoice = await processor().createInvoice(wanted, sameKey);
    expect(await processor().createInvoice(wanted, sameKey)).toEqual(invoice);
    const since = new Date();
    expect(await processor().findCreatedInvoice(customerId, { metadata, since })).toEqual(invoice);
    const other = { operationId: randomUUID() };
    expect(await processor().findCreatedInvoice(customerId, { metadata: other, since })).toBeNull();
  });

  it('takes all of some lines or none, and only what is billed once in its currency', async () => {
    const { id } = await draft([]);
    const { id: priceId } = await createPrice(monthly);
    const once = await createPrice(null);
    for (const wrong of [
      { priceId, quantity: 1 },
      { priceId: 'price_none', quantity: 1 },
      { productId: 'prod_none', unitAmount: 1, quantity: 1 },
    ]) {
      const refused = processor().addInvoiceLines(id, { currency: 'usd', lines: [fee, wrong] }, key());
      await expect(refused).rejects.toBeInstanceOf(ProcessorError);
    }
    expect(await processor().findInvoice(id)).toMatchObject({ lines: [], total: 0 });
    const euros = await draft([], { currency: 'eur' });
    const lines = [{ priceId: once.id, quantity: 1 }];
    const refused = processor().addInvoiceLines(euros.id, { currency: 'eur', lines }, key());
    await expect(refused).rejects.toBeInstanceOf(ProcessorError);
  });

  it('is paid at once when nothing is due', async () => {
    const { id: customerId } = await createCustomer();
    const credit = { amount: -6_000, currency: 'usd', description: 'Referral', metadata: {} };
    await processor().createBalanceTransaction(customerId, credit, key());
    const paid = await open({ customerId });
    expect(paid).toMatchObject({ status: 'paid', total: 5_000, amountDue: 0, amountPaid: 0 });
    expect(await processor().findCustomer(customerId)).toMatchObject({ balance: { credit: 1_000 } });
  });

  it('is sent while it is open, and due some days after it was finalized', async () => {
    const invoice = await open({ daysUntilDue: 7 });
    const days = ((invoice.dueDate?.getTime() ?? 0) - (invoice.finalizedAt?.getTime() ?? 0)) / DAY_MS;
    expect(days).toBeCloseTo(7, 2);
    for (const repeated of [invoice.id, invoice.id])
      expect(await processor().sendInvoice(repeated, key())).toMatchObject({ status: 'open' });
    await processor().markInvoicePaid(invoice.id, key());
    await expect(processor().sendInvoice(invoice.id, key())).rejects.toSatisfy(isRefused);
    const { id } = await open();
    await expect(processor().sendInvoice(id, key())).rejects.toBeInstanceOf(ProcessorError);
  });

  it('is paid elsewhere, once, and then neither paid nor voided', async () => {
    const { id } = await open();
    expect(await processor().markInvoicePaid(id, key())).toMatchObject({ status: 'paid', amountRemaining: 0 });
    for (const refused of [
      processor().markInvoicePaid(id, key()),
      processor().payInvoice(id, key()),
      processor().voidInvoice(id, key()),
    ])
      await expect(refused).rejects.toSatisfy(isRefused);
  });

  it('is deleted while it is a draft, also twice', async () => {
    const { id } = await draft();
    for (const repeated of [id, id]) await processor().deleteDraft(repeated);
    await expect(processor().findInvoice(id)).rejects.toSatisfy(isMissing);
  });

  it('is no draft any more once it is open', async () => {
    const { id } = await open();
    for (const refused of [
      processor().deleteDraft(id),
      processor().finalizeInvoice(id, false, key()),
      processor().addInvoiceLines(id, { currency: 'usd', lines: [fee] }, key()),
    ])
      await expect(refused).rejects.toSatisfy(isRefused);
    expect(await processor().findInvoice(id)).toMatchObject({ status: 'open', amountDue: 5_000 });
    expect(await processor().voidInvoice(id, key())).toMatchObject({ status: 'void' });
  });
}
