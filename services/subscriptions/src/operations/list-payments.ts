import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import {
  PAYMENT_STATUSES,
  type Payment as PaymentResource,
  type PaymentStatus,
} from '@billing/contracts/resources/payment';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import { paymentRows } from '#persistence/payment-rows.ts';
import type { Dependencies } from '../dependencies.ts';

/** The properties that lists show. */
const LISTED = [
  'id',
  'processorPaymentIntentId',
  'processorChargeId',
  'customerId',
  'processorInvoiceId',
  'status',
  'amount',
  'amountRefunded',
  'currency',
  'failureCode',
  'failureMessage',
  'projectId',
  'createdAt',
  'updatedAt',
] as const;

interface PaymentFilter extends Page {
  readonly customerId?: CustomerId | undefined;
  readonly status?: PaymentStatus | undefined;
}

/** Lists a page of the project's payments, newest first, without those of which only a refund or a dispute is known. */
export function listPayments({ em }: Pick<Dependencies, 'em'>) {
  return async (
    scope: ProjectScope,
    { customerId, status, ...page }: PaymentFilter,
  ): Promise<{ payments: PaymentResource[]; pagination: Pagination }> => {
    const filter = { customerId: customerId && [customerId], status: status ? [status] : PAYMENT_STATUSES };
    const { rows, pagination } = await paymentRows.list(em.fork(), scope, { filter, only: LISTED, page });
    const invoiceOf = (id: string): ProjectObject => ({ scope, id });
    const invoiceIds = rows.flatMap(row => row.processorInvoiceId ?? []);
    const invoices = await invoiceRows.find(em.fork(), invoiceIds.map(invoiceOf));
    const payments = rows.flatMap(({ processorInvoiceId, ...row }) => {
      const { status: known, amount, currency } = row;
      if (known === null || amount === null || currency === null) return [];
      const invoice = processorInvoiceId === null ? undefined : invoices.get(scopedKey(invoiceOf(processorInvoiceId)));
      return [{ ...row, status: known, amount, currency, invoiceId: invoice?.id ?? null }];
    });
    return { payments, pagination };
  };
}
