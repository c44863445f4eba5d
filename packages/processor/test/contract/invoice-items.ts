import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { isMissing, isRefused, ProcessorError } from '../../src/errors.ts';
import type { NewInvoiceItem } from '../../src/invoicing.ts';
import type { Cases } from './cases.ts';

/** Tests what the next invoice of a subscription bills once. */
export function invoiceItemCases({ paidIt, processor, key, subscribe, createPrice, monthly }: Cases): void {
  const start = async () => {
    const { subscription, price } = await subscribe();
    const { id: subscriptionId, customerId } = subscription;
    const wanted = { customerId, subscriptionId, currency: 'usd', metadata: {} };
    const add = (line: NewInvoiceItem['line'], metadata: Record<string, string> = {}) =>
      processor().createInvoiceItem({ ...wanted, line, metadata }, key());
    /** Bills what waits, with a change. */
    const bill = async () => {
      const items = [{ id: subscription.items[0]?.id ?? '', priceId: price.id, quantity: 3 }];
      const change = { items, proration: 'always_invoice', paymentBehavior: 'allow_incomplete' } as const;
      const { latestInvoiceId } = await processor().changeSubscription(subscriptionId, change, key());
      return processor().findInvoice(latestInvoiceId ?? '');
    };
    return { subscription, customerId, subscriptionId, wanted, add, bill };
  };
  const fee = { description: 'Setup', amount: 5_000 };

  paidIt('waits for the next invoice, is in its preview, and then on it', async () => {
    const { add, bill, customerId, subscriptionId } = await start();
    const before = await processor().previewInvoice(subscriptionId);
    const once = await createPrice(null);
    const items = [await add(fee), await add({ priceId: once.id, quantity: 2 })];
    expect(items).toMatchObject([
      { customerId, subscriptionId, invoiceId: null, description: 'Setup', amount: 5_000, isProration: false },
      { priceId: once.id, quantity: 2, amount: 5_998, currency: 'usd' },
    ]);
    const after = await processor().previewInvoice(subscriptionId);
    expect((after?.total ?? 0) - (before?.total ?? 0)).toBe(5_000 + 5_998);
    const pending = await processor().listPendingItems(customerId, subscriptionId);
    expect(pending).toEqual(items.toReversed());

    const invoice = await bill();

    const amounts = invoice.lines.filter(({ isProration }) => !isProration).map(({ amount }) => amount);
    expect(new Set(amounts)).toEqual(new Set([5_000, 5_998]));
    expect(await processor().listPendingItems(customerId, subscriptionId)).toEqual([]);
    expect(await processor().findInvoiceItem(items[0]?.id ?? '')).toMatchObject({ invoiceId: invoice.id });
    expect(await processor().previewInvoice(subscriptionId)).toMatchObject({ total: 3 * 2_999 });
  });

  paidIt('has an amount of a product, or a credit', async () => {
    const { add, subscriptionId } = await start();
    const { productId } = await createPrice(null);
    const hours = await add({ productId, unitAmount: 250, quantity: 4, description: 'Hours' });
    expect(hours).toMatchObject({ description: 'Hours', amount: 1_000, quantity: 4 });
    expect(await add({ description: 'Goodwill', amount: -300 })).toMatchObject({ amount: -300 });
    expect(await processor().previewInvoice(subscriptionId)).toMatchObject({ total: 2 * 2_999 + 700 });
  });

  paidIt('is created once under one idempotency key, and found by the operation that created it', async () => {
    const { wanted, customerId } = await start();
    const metadata = { operationId: randomUUID() };
    const sameKey = key();
    const item = await processor().createInvoiceItem({ ...wanted, line: fee, metadata }, sameKey);
    expect(await processor().createInvoiceItem({ ...wanted, line: fee, metadata }, sameKey)).toEqual(item);
    const since = new Date();
    expect(await processor().findCreatedInvoiceItem(customerId, { metadata, since })).toEqual(item);
    const other = { operationId: randomUUID() };
    expect(await processor().findCreatedInvoiceItem(customerId, { metadata: other, since })).toBeNull();
  });

  paidIt('is deleted while it waits, also twice', async () => {
    const { add, customerId, subscriptionId } = await start();
    const { id } = await add(fee);
    for (const repeated of [id, id]) await processor().deleteInvoiceItem(repeated);
    await expect(processor().findInvoiceItem(id)).rejects.toSatisfy(isMissing);
    expect(await processor().listPendingItems(customerId, subscriptionId)).toEqual([]);
  });

  paidIt('stays once it is billed', async () => {
    const { add, bill } = await start();
    const { id } = await add(fee);
    await bill();
    await expect(processor().deleteInvoiceItem(id)).rejects.toSatisfy(isRefused);
    expect(await processor().findInvoiceItem(id)).toMatchObject({ amount: 5_000 });
  });

  paidIt('is refused for a recurring price, and for a subscription of another customer', async () => {
    const { add, wanted } = await start();
    const { id: priceId } = await createPrice(monthly);
    await expect(add({ priceId, quantity: 1 })).rejects.toBeInstanceOf(ProcessorError);
    const { customerId } = await start();
    const mixed = processor().createInvoiceItem({ ...wanted, customerId, line: fee }, key());
    await expect(mixed).rejects.toBeInstanceOf(ProcessorError);
  });
}
