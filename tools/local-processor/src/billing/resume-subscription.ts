import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { periodAt } from '../domain/periods.ts';
import { customerOrNull } from '../objects/finding.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import { asItIs, currentPeriod, itemsIn, subscriptionCadence } from '../objects/subscription.ts';
import type { Invoice, InvoiceItem, Subscription } from '../objects/stored.ts';
import { cardFor, outcomeOf } from './payments.ts';
import { collectFor } from './collection.ts';
import { discounted, rebatesOf } from './discounts.ts';
import { collectInvoice, draftInvoice, finalizeInvoice } from './invoicing.ts';
import { billedTo, noUpcoming, shown } from './preview.ts';
import { addInvoiceItems, pendingLines, prorationsOf, recordDebits, recordProrations } from './prorations.ts';
import { linesFor, nextPeriod } from './subscription-periods.ts';

/** How a paused subscription goes on. */
export interface Resumption {
  /** Whether a period begins now; else the one that its anchor leads to goes on, and its rest is prorated. */
  restarts: boolean;
  proration: 'always_invoice' | 'create_prorations' | 'none';
  /** Whether it stays paused until the invoice of that is paid, which is tried now. */
  waitsForPayment: boolean;
}

/** A resumption that is not stored. */
interface Planned {
  after: Subscription;
  /** The prorations, which are not stored. */
  items: InvoiceItem[];
  /** Of the invoice that it makes; none when it makes none. */
  lines: BilledLine[];
}

/**
 * Resumes a paused subscription, whose invoice is finalized at once.
 * (Stripe: https://docs.stripe.com/api/subscriptions/resume)
 */
export function resumeSubscription(unit: UnitOfWork, paused: Subscription, how: Resumption): Subscription {
  const { after, items, lines } = plan(unit, paused, how);
  addInvoiceItems(unit, items);
  const id = newId('in_1');
  const isFree = lines.length === 0;
  const resumes = isFree || !how.waitsForPayment;
  const named = { ...(resumes ? after : paused), ...(isFree ? {} : { latest_invoice: id }) };
  const current = resumes
    ? unit.change('subscription', paused, named, 'customer.subscription.resumed')
    : unit.update('subscription', paused, named);
  if (resumes) recordProrations(unit, current, items);
  if (isFree) return current;
  const stored = new Map(items.map(item => [item.id, item]));
  const draft = draftInvoice(unit, {
    id,
    customer: customerOrNull(unit, paused.customer),
    subscription: current,
    reason: 'subscription_update',
    currency: paused.currency,
    lines: lines.map(line => (line.source ? { ...line, source: stored.get(line.source.id) ?? line.source } : line)),
    period: { start: currentPeriod(paused).start, end: unit.now },
  });
  if (resumes) recordDebits(unit, draft);
  const invoice = finalizeInvoice(unit, draft);
  if (resumes) return collectFor(unit, asItIs(unit, current), invoice);
  const card = cardFor(unit, current);
  endPause(unit, collectInvoice(unit, invoice, card, card ? outcomeOf(unit, card) : 'declines').invoice);
  return asItIs(unit, current);
}

/**
 * Previews the invoice of a resumption.
 * @throws ApiError 404 when it makes none
 */
export function previewResumption(
  unit: UnitOfWork,
  paused: Subscription,
  how: Omit<Resumption, 'waitsForPayment'>,
): Invoice {
  const { after, lines } = plan(unit, paused, how);
  if (lines.length === 0) throw noUpcoming(paused.customer);
  return shown(unit, {
    ...billedTo(unit, after),
    lines,
    period: { start: currentPeriod(paused).start, end: unit.now },
  });
}

/** Resumes the paused subscription whose resumption an invoice bills, once that is paid: in the period that it bills. */
export function endPause(unit: UnitOfWork, invoice: Invoice): void {
  const subscription = unit.tables.subscription.get(invoice.parent?.subscription_details.subscription ?? '');
  if (subscription?.status !== 'paused' || subscription.latest_invoice !== invoice.id || invoice.status !== 'paid')
    return;
  const begun = invoice.lines.data.find(line => line.parent?.subscription_item_details?.proration === false);
  const anchor = begun?.period.start ?? subscription.billing_cycle_anchor;
  const period = begun?.period ?? periodAt(anchor, subscriptionCadence(subscription), unit.now);
  const changes = { status: 'active', billing_cycle_anchor: anchor, items: itemsIn(subscription, period) } as const;
  const resumed = unit.change('subscription', subscription, changes, 'customer.subscription.resumed');
  recordDebits(unit, invoice);
  const items = unit.tables.invoiceitem.withField('customer', subscription.customer);
  recordProrations(
    unit,
    resumed,
    items.filter(item => item.invoice === invoice.id && item.proration),
  );
}

function plan(
  unit: UnitOfWork,
  paused: Subscription,
  { restarts, proration }: Omit<Resumption, 'waitsForPayment'>,
): Planned {
  const active: Subscription = { ...paused, status: 'active' };
  const anchor = restarts ? unit.now : paused.billing_cycle_anchor;
  const period = restarts ? nextPeriod(active, unit.now) : periodAt(anchor, subscriptionCadence(active), unit.now);
  const after = { ...active, billing_cycle_anchor: anchor, items: itemsIn(active, period) };
  const rebates = rebatesOf(unit, after, unit.now);
  if (restarts) {
    const lines = [...pendingLines(unit, paused), ...linesFor(unit, after, period)];
    return { after, items: [], lines: discounted(lines, rebates) };
  }
  if (proration === 'none') return { after, items: [], lines: [] };
  const nothing = { ...after, items: { ...after.items, data: [] } };
  const items = prorationsOf(unit, nothing, after, { at: unit.now, isNewPeriod: false, rebates });
  if (proration === 'create_prorations') return { after, items, lines: [] };
  const lines = [...pendingLines(unit, paused), ...items.map(lineOfItem)];
  return { after, items, lines: discounted(lines, rebates) };
}
