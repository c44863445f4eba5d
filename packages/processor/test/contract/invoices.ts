import { BERLIN } from '@billing/testing/addresses';
import { expect } from 'vitest';
import type { Cases } from './cases.ts';

const ITEMS = 12;
const NOW = { proration: 'always_invoice', paymentBehavior: 'allow_incomplete' } as const;

/** Tests what invoices say of lines and taxes. */
export function invoiceCases({ paidIt, processor, key, subscribe, createPrice, monthly }: Cases): void {
  paidIt('has all its lines, its taxes, and who was billed', async () => {
    const { customer, subscription } = await subscribe();
    const invoiceFields = [{ name: 'PO number', value: '2026-17' }];
    await processor().updateCustomer(customer.id, { billing: { address: BERLIN, invoiceFields } }, key());
    // Of another country: the customer is taxed all the same.
    await processor().createTaxId(customer.id, { type: 'gb_vat', value: 'GB123456789' }, key());
    await processor().setAutomaticTax(subscription.id, true, key());
    const prices = await Promise.all(Array.from({ length: ITEMS }, () => createPrice(monthly)));
    const items = prices.map(({ id: priceId }) => ({ priceId, quantity: 1 }));
    const { latestInvoiceId } = await processor().changeSubscription(subscription.id, { ...NOW, items }, key());

    const invoice = await processor().findInvoice(latestInvoiceId ?? '');
    const { subtotal, discount, tax, taxes, total, lines } = invoice;
    expect(invoice).toMatchObject({
      discount: 0,
      purchaseOrder: '2026-17',
      customerTaxIds: [{ type: 'gb_vat', value: 'GB123456789' }],
    });
    expect(lines).toHaveLength(ITEMS);
    expect(new Set(lines.map(({ priceId }) => priceId))).toEqual(new Set(prices.map(({ id }) => id)));
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(subtotal);
    expect(taxes.reduce((sum, { amount }) => sum + amount, 0)).toBe(tax);
    const added = taxes.reduce((sum, { amount, inclusive }) => (inclusive ? sum : sum + amount), 0);
    expect(total).toBe((subtotal ?? 0) - discount + added);
    const [listed] = await processor().listInvoices(customer.id);
    expect(listed).toEqual(invoice);
  });
}
