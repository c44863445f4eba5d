import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ProcessorError } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

/** Tests refunds, and the changes of invoices that are refused once they are paid. */
export function paymentCases({ paidIt, processor, key, subscribe }: Cases): void {
  const pay = async () => {
    const { customer } = await subscribe();
    const [invoice] = await processor().listInvoices(customer.id);
    const invoiceId = invoice?.id ?? '';
    const [payment] = await processor().listInvoicePayments(invoiceId);
    return { invoiceId, paymentIntentId: payment?.paymentId ?? '' };
  };

  paidIt('is refunded in parts, each once, and found by the operation that refunded it', async () => {
    const { paymentIntentId } = await pay();
    const payment = { paymentIntentId };
    const metadata = { operationId: randomUUID() };
    const sameKey = key();
    const wanted = { amount: 1_000, reason: 'duplicate', metadata } as const;
    const part = await processor().createRefund(payment, wanted, sameKey);
    expect(part).toMatchObject({ amount: 1_000, paymentIntentId, metadata });
    expect(await processor().createRefund(payment, wanted, sameKey)).toEqual(part);
    const since = new Date();
    expect(await processor().findCreatedRefund(payment, { metadata, since })).toEqual(part);
    const other = { operationId: randomUUID() };
    expect(await processor().findCreatedRefund(payment, { metadata: other, since })).toBeNull();

    const tooMuch = processor().createRefund(payment, { amount: 5_000, metadata: {} }, key());
    await expect(tooMuch).rejects.toBeInstanceOf(ProcessorError);
    const rest = await processor().createRefund({ chargeId: part.chargeId ?? '' }, { metadata: {} }, key());
    expect(rest).toMatchObject({ amount: 2 * 2_999 - 1_000, chargeId: part.chargeId });
    const again = processor().createRefund(payment, { metadata: {} }, key());
    await expect(again).rejects.toMatchObject({ processorCode: 'charge_already_refunded' });
  });

  paidIt('leaves its invoice paid, which is neither voided nor given up, nor paid again', async () => {
    const { invoiceId } = await pay();
    for (const refused of [
      processor().voidInvoice(invoiceId, key()),
      processor().markInvoiceUncollectible(invoiceId, key()),
      processor().payInvoice(invoiceId, key()),
    ])
      await expect(refused).rejects.toBeInstanceOf(ProcessorError);
    expect(await processor().findInvoice(invoiceId)).toMatchObject({ status: 'paid' });
  });
}
