import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, InvoiceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import {
  COLLECTED_STATUSES,
  PAYMENT_STATUSES,
  type Payment as PaymentResource,
  type PaymentStatus,
} from '@billing/contracts/resources/payment';
import type { Dependencies } from '../dependencies.ts';
import { Invoice } from './invoice.entity.ts';
import { SHOWN, toResource } from './payment.entity.ts';
import { searchRecords } from '#rows/search-records';
import { paymentRows } from './payment-rows.ts';

interface PaymentFilter extends Page, CreatedRange {
  readonly customerId?: CustomerId | undefined;
  readonly invoiceId?: InvoiceId | undefined;
  /** Of the invoices that were paid. */
  readonly subscriptionId?: SubscriptionId | undefined;
  readonly status?: PaymentStatus | undefined;
  /** For customers, or an amount. */
  readonly search?: string | undefined;
  /** Only those that took money. */
  readonly collected?: boolean | undefined;
  /** Of a payment intent or a charge. */
  readonly processorId?: string | undefined;
}

/** Lists a page of the project's payments, without those of which only a refund or a dispute is known. */
export function listPayments({ em, rpc }: Pick<Dependencies, 'em' | 'rpc'>) {
  const find = searchRecords({ rpc }, 'amount');
  return async (
    scope: ProjectScope,
    {
      customerId,
      invoiceId,
      subscriptionId,
      status,
      collected = false,
      search,
      processorId,
      createdAfter,
      createdBefore,
      ...page
    }: PaymentFilter,
  ): Promise<{ payments: PaymentResource[]; pagination: Pagination }> => {
    const listed: readonly PaymentStatus[] = collected ? COLLECTED_STATUSES : PAYMENT_STATUSES;
    const filter = {
      customerId: customerId && [customerId],
      processorInvoiceId: await findInvoiceIds(em.fork(), scope, { id: invoiceId, subscriptionId }),
      status: status ? listed.filter(one => one === status) : listed,
    };
    const { rows, pagination } = await paymentRows.list(em.fork(), scope, {
      filter,
      anyOf: await find(scope, search),
      idAtProcessor: processorId,
      created: { createdAfter, createdBefore },
      only: SHOWN,
      page,
    });
    return { payments: rows.flatMap(row => toResource(row) ?? []), pagination };
  };
}

/** Returns the processor's ids of the invoices that a filter selects; undefined without a filter. */
async function findInvoiceIds(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  filter: { readonly id: InvoiceId | undefined; readonly subscriptionId: SubscriptionId | undefined },
): Promise<string[] | undefined> {
  const given = Object.entries(filter).filter(([, id]) => id !== undefined);
  if (given.length === 0) return undefined;
  const where = { ...Object.fromEntries(given), teamId, projectId };
  const invoices = await em.find(Invoice, where, { fields: ['processorInvoiceId'] });
  return invoices.map(({ processorInvoiceId }) => processorInvoiceId);
}
