import type { ProjectScope } from '@billing/contracts/ids';
import { toPage, type Page, type Pagination } from '@billing/contracts/pagination';
import { DUNNING_STATUSES, type DunningCase, type DunningStatus } from '@billing/contracts/resources/dunning';
import { markList } from '@billing/database/cursors';
import type { Dependencies } from '../dependencies.ts';
import { amountOf, endOf, newestFailureOf, statesWith, totalsOf, type DunningTotals } from './dunning.rules.ts';
import type { PaymentObservations } from './payment.rules.ts';
import { findObservations, listFailedInvoices, sumFailedInvoices, type FailedInvoice } from './find-dunning-cases.ts';

interface CaseFilter extends Page {
  readonly status?: DunningStatus | undefined;
  /** Only cases that failed first at this time or later. */
  readonly since?: Date | undefined;
  /** Only cases that failed first before this time. */
  readonly until?: Date | undefined;
}

interface DunningCases {
  readonly cases: DunningCase[];
  readonly totals: DunningTotals;
  readonly pagination: Pagination;
}

/**
 * Lists a page of the invoices of subscriptions whose payment failed, and what all that the filter selects amount to, less what
 * lives on test clocks. The first payment of an invoice is tried when it is finalized: that is when the case began, in whatever
 * order events come and after a sync.
 */
export function listDunningCases({ em }: Pick<Dependencies, 'em'>) {
  return async (scope: ProjectScope, { status, since, until, ...page }: CaseFilter): Promise<DunningCases> => {
    const statuses = status ? [status] : DUNNING_STATUSES;
    const filter = { states: statuses.flatMap(statesWith), since, until };
    const list = markList(page, 'dunning', scope);
    const [found, sums] = await Promise.all([
      listFailedInvoices(em.fork(), scope, filter, page),
      sumFailedInvoices(em.fork(), scope, filter),
    ]);
    const total = sums.reduce((sum, { count }) => sum + count, 0);
    const [ofPage, pagination] = toPage(page, found, total, ({ invoice: { id, finalizedAt } }) => {
      return { list, at: finalizedAt.toISOString(), ids: [id] };
    });
    const ids = ofPage.map(({ invoice }) => invoice.processorInvoiceId);
    const observations = await findObservations(em.fork(), scope, ids);
    const cases = ofPage.map(one => toCase(one, observations.get(one.invoice.processorInvoiceId) ?? []));
    return { cases, totals: totalsOf(sums.filter(({ isOnTestClock }) => !isOnTestClock)), pagination };
  };
}

function toCase({ invoice, ...subscription }: FailedInvoice, payments: readonly PaymentObservations[]): DunningCase {
  const { status, endedAt } = endOf(invoice, subscription);
  return {
    subscriptionId: invoice.subscriptionId,
    customerId: invoice.customerId,
    invoiceId: invoice.id,
    amountDue: amountOf(invoice),
    currency: invoice.currency,
    failedAt: invoice.finalizedAt,
    attempts: invoice.attempts,
    nextRetryAt: status === 'recovering' ? invoice.nextAttemptAt : null,
    lastFailure: newestFailureOf(payments),
    status,
    endedAt,
    hostedInvoiceUrl: invoice.hostedInvoiceUrl,
  };
}
