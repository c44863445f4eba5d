import type { CustomerId, InvoiceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import { containing } from '@billing/database/containing';
import { createdWithin, findNewest } from '@billing/database/find-newest';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { Invoice } from '#persistence/invoice.entity.ts';
import { pastDueAt } from '#persistence/past-due.ts';
import type { Dependencies } from '../dependencies.ts';

interface InvoiceFilter extends Page, CreatedRange {
  readonly customerId?: CustomerId | undefined;
  readonly subscriptionId?: SubscriptionId | undefined;
  readonly status?: InvoiceStatus | undefined;
  readonly ids?: readonly InvoiceId[] | undefined;
  /** What the number contains, in any case. */
  readonly number?: string | undefined;
  readonly processorId?: string | undefined;
  /** Whether to list only invoices that are past due. */
  readonly pastDue?: boolean | undefined;
  /** Leaves out drafts, which are for the merchant and not for the customer. */
  readonly withoutDrafts?: boolean;
}

/** Lists a page of the project's invoices. */
export function listInvoices({ em, now }: Pick<Dependencies, 'em' | 'now'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    {
      customerId,
      subscriptionId,
      status,
      ids,
      number,
      processorId,
      createdAfter,
      createdBefore,
      pastDue = false,
      withoutDrafts = false,
      ...page
    }: InvoiceFilter,
  ): Promise<{ invoices: Invoice[]; pagination: Pagination }> => {
    const shown = withoutDrafts ? { $in: INVOICE_STATUSES.filter(it => it !== 'draft') } : undefined;
    const where = {
      teamId,
      projectId,
      customerId,
      subscriptionId,
      status: status ?? shown,
      id: ids && { $in: ids },
      number: number === undefined ? undefined : containing(number),
      processorInvoiceId: processorId,
      createdAt: createdWithin({ createdAfter, createdBefore }),
      $and: pastDue ? [pastDueAt(now())] : undefined,
    };
    const [invoices, pagination] = await findNewest(em.fork(), Invoice, where, page);
    return { invoices, pagination };
  };
}
