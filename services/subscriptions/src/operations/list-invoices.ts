import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { paginate, type Page, type Pagination } from '@billing/contracts/pagination';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import { Invoice } from '#persistence/invoice.entity.ts';

interface Wanted extends Page {
  readonly customerId?: CustomerId | undefined;
  readonly subscriptionId?: SubscriptionId | undefined;
  readonly status?: InvoiceStatus | undefined;
  /** Drafts are for the merchant, not for the customer. */
  readonly withoutDrafts?: boolean;
}

/** A page of the project's invoices, newest first. */
export async function listInvoices(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { customerId, subscriptionId, status, withoutDrafts = false, ...page }: Wanted,
): Promise<{ invoices: Invoice[]; pagination: Pagination }> {
  const shown = withoutDrafts ? INVOICE_STATUSES.filter(it => it !== 'draft') : undefined;
  const [invoices, total] = await em.findAndCount(
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
}
