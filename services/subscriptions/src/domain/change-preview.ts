import type { PriceId } from '@billing/contracts/ids';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import type { InvoicePreview } from '@billing/processor/snapshots/invoice-preview';
import type { Entitlement } from './entitlements.ts';
import type { Cadence, DecidedChange } from './plan-change.ts';

type Amounts = Pick<
  PlanChangePreview,
  'amountDue' | 'subtotal' | 'discount' | 'tax' | 'total' | 'creditApplied' | 'creditGranted'
>;

/** Returns whether a previewed invoice is made by the change itself, and not at the end of the period. */
export const isDueNow = ({ when }: DecidedChange, invoice: InvoicePreview | null, currentPeriodEnd: Date): boolean =>
  when === 'now' && invoice !== null && invoice.at < currentPeriodEnd;

const NOTHING: Amounts = {
  amountDue: 0,
  subtotal: 0,
  discount: 0,
  tax: 0,
  total: 0,
  creditApplied: 0,
  creditGranted: 0,
};

/** Returns the amounts of a preview: the processor's own, and how they divide into what is paid and what the balance does. */
export function amountsOf(invoice: InvoicePreview | null, isDue: boolean): Amounts {
  if (!invoice) return NOTHING;
  const { amountDue, subtotal, discount, tax, total, startingBalance } = invoice;
  return {
    amountDue: isDue ? amountDue : 0,
    subtotal,
    discount,
    tax,
    total,
    creditApplied: Math.max(0, Math.min(-startingBalance, total - amountDue)),
    creditGranted: Math.max(0, -total),
  };
}

/**
 * Returns the lines of a preview; `priceIds` has our ids of the processor's prices. The processor previews a new interval as if it
 * began now: its lines are those of the period that begins when the change takes effect.
 */
export function linesOf(
  invoice: InvoicePreview | null,
  priceIds: ReadonlyMap<string, PriceId>,
  { effectiveAt, nextInterval }: Pick<DecidedChange, 'effectiveAt' | 'nextInterval'>,
): PlanChangePreview['lines'] {
  const period = nextInterval && { periodStart: effectiveAt, periodEnd: endOf(effectiveAt, nextInterval) };
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
