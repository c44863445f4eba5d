import { isRefused } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';

/** Voids an invoice unless it was paid or voided meanwhile; returns which. */
export async function voidIfOpen(
  processor: Pick<Processor, 'voidInvoice' | 'findInvoice'>,
  invoiceId: string,
  idempotencyKey: string,
): Promise<'paid' | 'void'> {
  try {
    await processor.voidInvoice(invoiceId, idempotencyKey);
    return 'void';
  } catch (err) {
    if (!isRefused(err)) throw err;
    const { status } = await processor.findInvoice(invoiceId);
    if (status === 'paid' || status === 'void') return status;
    throw err;
  }
}
