import type { PriceId } from '@billing/contracts/ids';
import { leastCharge } from '@billing/contracts/least-charge';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import type { Entitlement } from '#state/entitlements.rules';
import type { DecidedChange } from './decide.rules.ts';
import type { Cadence } from './items.rules.ts';

type Amounts = Pick<
  PlanChangePreview,
  | 'amountDue'
  | 'subtotal'
  | 'discount'
  | 'tax'
  | 'total'
  | 'creditApplied'
  | 'creditGranted'
  | 'debitApplied'
  | 'carriedOver'
>;

/** Returns whether a previewed invoice is made by the change itself, and not at the end of the period. */
export const isDueNow = ({ when }: DecidedChange, invoice: InvoicePreview | null, currentPeriodEnd: Date): boolean =>
  when === 'now' && invoice !== null && invoice.at < currentPeriodEnd;

/**
 * Returns whether a change surely makes no invoice now. The schedule as it stands may name discounts that the change removes, so that
 * it cannot be previewed without the phases that follow.
 */
export function isForLater({ when, change }: DecidedChange): boolean {
  const { proration, resetsAnchor, endsTrial, discounts } = change;
  const removesDiscounts = discounts?.length === 0 && proration !== 'always_invoice' && !resetsAnchor && !endsTrial;
  return when === 'period_end' || removesDiscounts;
}

const NOTHING = { currency: '', amountDue: 0, subtotal: 0, discount: 0, tax: 0, total: 0, startingBalance: 0 };

/**
 * Returns the amounts of a preview: the processor's own, and how they divide into what is paid and what the balance does, which is
 * negative for credit. A preview may show what is too little to be charged as due.
 */
export function amountsOf(invoice: InvoicePreview | null, isDue: boolean): Amounts {
  const { currency, amountDue: shown, subtotal, discount, tax, total, startingBalance } = invoice ?? NOTHING;
  const amountDue = isDue && shown >= leastCharge(currency) ? shown : 0;
  const debitApplied = Math.max(0, startingBalance);
  return {
    amountDue,
    subtotal,
    discount,
    tax,
    total,
    creditApplied: Math.max(0, Math.min(-startingBalance, total - shown)),
    creditGranted: Math.max(0, -total - debitApplied),
    debitApplied,
    carriedOver: isDue && amountDue === 0 ? Math.max(0, total + startingBalance) : 0,
  };
}

/** What rounding may have taken off a line, in the smallest unit. */
const ROUNDING = 0.5;

/**
 * Returns how much more of the old period a preview of up to `forMs` before this one may have credited, but not before `since`: the
 * credit shrinks evenly until the period ends. In the currency's smallest unit; each line was rounded by itself. The processor takes
 * no date for a new period, so the earlier preview cannot be made again.
 */
export function creditLost(
  { lines, subtotal, total }: Pick<InvoicePreview, 'lines' | 'subtotal' | 'total'>,
  { forMs, since }: { readonly forMs: number; readonly since: Date },
): number {
  // Taxes and discounts change in proportion.
  const proportion = subtotal === 0 ? 1 : Math.max(1, Math.abs(total / subtotal));
  const lost = lines.map(({ isProration, amount, periodStart, periodEnd }) => {
    const left = periodEnd.getTime() - periodStart.getTime();
    if (!isProration || amount > 0 || left <= 0) return 0;
    const elapsed = Math.min(forMs, Math.max(0, periodStart.getTime() - since.getTime()));
    return Math.ceil(((ROUNDING - amount) * elapsed * proportion) / left + ROUNDING);
  });
  return lost.reduce((sum, amount) => sum + amount, 0);
}

/**
 * Returns the lines of a preview; `priceIds` has our ids of the processor's prices. The processor previews a new interval as if it
 * began now: its lines are those of the period that begins when the change takes effect, if a `change` begins one.
 */
export function linesOf(
  invoice: InvoicePreview | null,
  priceIds: ReadonlyMap<string, PriceId>,
  change: Pick<DecidedChange, 'effectiveAt' | 'nextInterval'> | null = null,
): PlanChangePreview['lines'] {
  const period = change?.nextInterval && {
    periodStart: change.effectiveAt,
    periodEnd: endOf(change.effectiveAt, change.nextInterval),
  };
  return (invoice?.lines ?? []).map(({ isProration, priceId, ...line }) => ({
    ...line,
    ...(!isProration && period),
    priceId: priceIds.get(priceId ?? '') ?? null,
    proration: isProration,
  }));
}

const DAYS = { day: 1, week: 7 } as const;
const MONTHS = { month: 1, year: 12 } as const;

/** When a period ends. A month without the day on which it begins ends on its last. https://docs.stripe.com/billing/subscriptions/billing-cycle */
function endOf(start: Date, { interval, count }: Cadence): Date {
  const end = new Date(start);
  if (interval === 'day' || interval === 'week') {
    end.setUTCDate(end.getUTCDate() + DAYS[interval] * count);
    return end;
  }
  const month = start.getUTCMonth() + MONTHS[interval] * count;
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  end.setUTCMonth(month, Math.min(start.getUTCDate(), lastDay));
  return end;
}

/** Returns what a customer may use afterwards, where it differs, by feature. */
export function entitlementChanges(
  before: ReadonlyMap<string, Entitlement>,
  after: ReadonlyMap<string, Entitlement>,
): PlanChangePreview['entitlementChanges'] {
  const features = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return features.flatMap(feature => {
    const [from, to] = [before.get(feature)?.value ?? null, after.get(feature)?.value ?? null];
    return from === to ? [] : [{ feature, from, to }];
  });
}
