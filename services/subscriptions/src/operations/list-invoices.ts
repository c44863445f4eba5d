import type { CustomerId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { Invoice } from '#persistence/invoice.entity.ts';
import type { Dependencies } from '../dependencies.ts';

interface InvoiceFilter extends Page {
  readonly customerId?: CustomerId | undefined;
  readonly subscriptionId?: SubscriptionId | undefined;
  readonly status?: InvoiceStatus | undefined;
  /** Leaves out drafts, which are for the merchant and not for the customer. */
  readonly withoutDrafts?: boolean;
}

/** Lists a page of the project's invoices, newest first. */
export function listInvoices({ em }: Pick<Dependencies, 'em'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    { customerId, subscriptionId, status, withoutDrafts = false, ...page }: InvoiceFilter,
  ): Promise<{ invoices: Invoice[]; pagination: Pagination }> => {
    const shown = withoutDrafts ? INVOICE_STATUSES.filter(it => it !== 'draft') : undefined;
    const [invoices, total] = await em.fork().findAndCount(
      Invoice,
      {
        teamId,
        projectId,
        ...(customerId && { customerId }),
        ...(subscriptionId && { subscriptionId }),
        ...(shown && { status: { $in: shown } }),
        ...(status && { status }),
      },
      { ...page, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] },
    );
    return { invoices, pagination: paginate(page, invoices.length, total) };
  };
}
