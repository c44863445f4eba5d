import type { EntityManager } from '@mikro-orm/postgresql';
import { skipped, type Page } from '@billing/contracts/pagination';
import type { ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import { follows, placeBefore } from '@billing/database/cursors';
import { fromJson, type JsonRow } from '#rows/json-rows';
import type { DunningState } from './dunning.rules.ts';
import type { PaymentObservations } from './payment.rules.ts';
import { Invoice } from './invoice.entity.ts';
import { Payment } from './payment.entity.ts';

/** An invoice that is a case: its subscription is recorded. */
export interface FailedInvoice {
  readonly invoice: Invoice & { readonly finalizedAt: Date; readonly subscriptionId: SubscriptionId };
  readonly hasEnded: boolean;
  readonly subscriptionEndedAt: Date | null;
}

export interface DunningFilter {
  readonly states: readonly DunningState[];
  /** Only what was finalized at this time or later. */
  readonly since: Date | undefined;
  /** Only what was finalized before this time. */
  readonly until: Date | undefined;
}

const HAS_ENDED = `subscription.status in ('${ENDED_STATUSES.join(`', '`)}')`;

/**
 * Whether a payment failed of a purchase, or of a change of plan that was not made for it. One that was made all the same, as the
 * team may at the processor, leaves the subscription past due, and is tried again by itself.
 * https://docs.stripe.com/api/invoices/object#invoice_object-billing_reason
 */
const IS_DECLINED = `(
  invoice.billing_reason = 'subscription_create'
  or invoice.billing_reason = 'subscription_update' and invoice.attempts <= 1 and not (
    invoice.status = 'open' and subscription.status in ('past_due', 'unpaid') and subscription.pending_change is null))`;

/** SQL for the cases that a filter selects; its values are those of `valuesOf`. An invoice with a due date is not collected by the processor. */
const CASES = `
  from invoices invoice
  join subscriptions subscription
    on subscription.id = invoice.subscription_id
   and (subscription.team_id, subscription.project_id) is not distinct from (invoice.team_id, invoice.project_id)
 where invoice.team_id = $1 and invoice.project_id = $2 and invoice.has_failed
   and invoice.due_date is null and ${IS_DECLINED} is not true
   and invoice.finalized_at >= $3::timestamptz
   and invoice.status = any(case when ${HAS_ENDED} then $4::text[] else $5::text[] end)
   and ($6::timestamptz is null or invoice.finalized_at < $6::timestamptz)`;

/** What a case shows of its invoice, whose lines may be many. */
const SHOWN = `(
  select to_json(shown) from (
    select invoice.id, invoice.processor_invoice_id, invoice.subscription_id, invoice.customer_id, invoice.status,
           invoice.amount_due, invoice.amount_paid, invoice.currency, invoice.attempts, invoice.next_attempt_at,
           invoice.finalized_at, invoice.paid_at, invoice.given_up_at, invoice.hosted_invoice_url) shown)`;

/** The same as `amountOf` of the domain. */
const AMOUNT = `invoice.amount_due - case when invoice.status = 'paid' then 0 else invoice.amount_paid end`;

const valuesOf = ({ teamId, projectId }: ProjectScope, { states, since, until }: DunningFilter): unknown[] => [
  teamId,
  projectId,
  since ?? new Date(0),
  ...[true, false].map(isEnd =>
    states.filter(({ hasEnded }) => hasEnded === isEnd).map(({ invoiceStatus }) => invoiceStatus),
  ),
  until ?? null,
];

/** Lists a page of a project's cases and one more, the newest failure first. */
export async function listFailedInvoices(
  em: EntityManager,
  scope: ProjectScope,
  filter: DunningFilter,
  page: Page,
): Promise<FailedInvoice[]> {
  const place = placeBefore(page);
  const rows = await executeBound<{ invoice: JsonRow; hasEnded: boolean; endedAt: string | null }>(
    em,
    `select ${SHOWN} as invoice, ${HAS_ENDED} as "hasEnded", to_json(subscription.ended_at) as "endedAt" ${CASES}
        and ($9::text is null or ${follows('invoice.finalized_at', 'invoice.id', '$9', '$10')})
      order by invoice.finalized_at desc, invoice.id limit $7 offset $8`,
    [...valuesOf(scope, filter), page.limit + 1, skipped(page), place?.at ?? null, place?.id ?? null],
  );
  const invoices = fromJson(
    em,
    Invoice,
    rows.map(({ invoice }) => invoice),
  );
  return invoices.map((invoice, index) => ({
    invoice: invoice as FailedInvoice['invoice'], // what the conditions select
    hasEnded: rows[index]?.hasEnded ?? false,
    subscriptionEndedAt: rows[index]?.endedAt ? new Date(rows[index].endedAt) : null,
  }));
}

/** What the cases of a project amount to, in each state and currency, those on test clocks apart. */
export interface DunningSum extends DunningState {
  readonly currency: string;
  readonly isOnTestClock: boolean;
  readonly amount: bigint;
  readonly count: number;
}

/** Sums up a project's cases. Reads all that the filter selects. */
export async function sumFailedInvoices(
  em: EntityManager,
  scope: ProjectScope,
  filter: DunningFilter,
): Promise<DunningSum[]> {
  const rows = await executeBound<Omit<DunningSum, 'amount'> & { readonly amount: string }>(
    em,
    `select invoice.currency, invoice.status as "invoiceStatus", ${HAS_ENDED} as "hasEnded",
            invoice.test_clock_id is not null as "isOnTestClock", sum(${AMOUNT})::text as amount, count(*)::int as count
            ${CASES}
      group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    valuesOf(scope, filter),
  );
  return rows.map(row => ({ ...row, amount: BigInt(row.amount) }));
}

/** Finds what was observed of the payments of invoices, by the processor's id of the invoice. */
export async function findObservations(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorInvoiceIds: readonly string[],
): Promise<ReadonlyMap<string | null, readonly PaymentObservations[]>> {
  const where = { teamId, projectId, processorInvoiceId: { $in: [...processorInvoiceIds] } };
  const rows = await em.find(Payment, where, { fields: ['processorInvoiceId', 'observations'] });
  const byInvoice = Map.groupBy(rows, ({ processorInvoiceId }) => processorInvoiceId);
  return new Map([...byInvoice].map(([id, payments]) => [id, payments.map(({ observations }) => observations)]));
}
