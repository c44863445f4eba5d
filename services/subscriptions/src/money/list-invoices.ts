import type { CustomerId, InvoiceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import type { CreatedRange, Page, Pagination } from '@billing/contracts/pagination';
import { containing } from '@billing/database/containing';
import { createdWithin, findNewest } from '@billing/database/find-newest';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import type { Dependencies } from '../dependencies.ts';
import { searchRecords, type SearchedValues } from '#rows/search-records';
import { Invoice } from './invoice.entity.ts';
import { findOnTestClocks } from '#copies/test-clocks';
import { pastDueAt } from './invoice-rows.ts';

interface InvoiceFilter extends Page, CreatedRange {
  readonly customerId?: CustomerId | undefined;
  readonly subscriptionId?: SubscriptionId | undefined;
  readonly status?: InvoiceStatus | undefined;
  readonly ids?: readonly InvoiceId[] | undefined;
  /** What the number contains, in any case. */
  readonly number?: string | undefined;
  /** For customers, an amount, or a part of a number. */
  readonly search?: string | undefined;
  readonly processorId?: string | undefined;
  /** Whether to list only invoices that are past due. */
  readonly pastDue?: boolean | undefined;
  /** Leaves out drafts, which are for the merchant and not for the customer. */
  readonly withoutDrafts?: boolean;
}

/** Lists a page of the project's invoices. */
export function listInvoices({ em, rpc, now }: Pick<Dependencies, 'em' | 'rpc' | 'now'>) {
  const find = searchRecords({ rpc }, 'amountDue');
  return async (
    { teamId, projectId }: ProjectScope,
    {
      customerId,
      subscriptionId,
      status,
      ids,
      number,
      search,
      processorId,
      createdAfter,
      createdBefore,
      pastDue = false,
      withoutDrafts = false,
      ...page
    }: InvoiceFilter,
  ): Promise<{ invoices: Invoice[]; pagination: Pagination }> => {
    const shown = withoutDrafts ? { $in: INVOICE_STATUSES.filter(it => it !== 'draft') } : undefined;
    const searched = (await find({ teamId, projectId }, search))?.map(anyValue) ?? [];
    const where = {
      teamId,
      projectId,
      customerId,
      subscriptionId,
      status: status ?? shown,
      id: ids && { $in: ids },
      processorInvoiceId: processorId,
      createdAt: createdWithin({ createdAfter, createdBefore }),
      $and: [
        ...(pastDue ? [pastDueAt(now(), await findOnTestClocks(em.fork(), { teamId, projectId }))] : []),
        ...(number === undefined ? [] : [containing('number', number)]),
        ...(search === undefined ? [] : [{ $or: [...searched, containing('number', search)] }]),
      ],
    };
    const [invoices, pagination] = await findNewest(em.fork(), Invoice, where, page);
    return { invoices, pagination };
  };
}

const anyValue = (wanted: SearchedValues) =>
  Object.fromEntries(Object.entries(wanted).map(([property, values]) => [property, { $in: values }]));
