import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { periodAt } from '../domain/periods.ts';
import type { NewInvoice } from '../objects/invoice.ts';
import type { BilledLine } from '../objects/invoice-line.ts';
import {
  type Billed,
  currentPeriod,
  itemsIn,
  newSubscription,
  subscriptionCadence,
  type TrialEnd,
} from '../objects/subscription.ts';
import type { Customer, Discount, Subscription } from '../objects/stored.ts';
import { discounted, rebatesOf } from './discounts.ts';
import { linesFor } from './subscription-periods.ts';

/** What a subscription starts with. */
export interface Start extends Pick<
  Subscription,
  'id' | 'currency' | 'days_until_due' | 'default_payment_method' | 'description' | 'metadata' | 'trial_end'
> {
  customer: Customer;
  /** The recurring prices. */
  lines: readonly Billed[];
  /** What the first invoice bills besides, once. */
  added: readonly BilledLine[];
  automaticTax: boolean;
  trialEndsWithoutMethod?: TrialEnd | undefined;
  /** The discounts that it redeems; they are not stored. */
  discounts: readonly Discount[];
}

/** A subscription as it starts, and what its first invoice bills; nothing of it is stored. */
export interface FirstInvoice {
  subscription: Subscription;
  discounts: Discount[];
  bill: NewInvoice;
}

/** Returns the first invoice of a subscription that starts now. */
export function firstInvoice(unit: UnitOfWork, start: Start): FirstInvoice {
  const { customer, lines, added, discounts, ...terms } = start;
  const draft = newSubscription(unit, {
    ...terms,
    customer: customer.id,
    items: lines,
    period: { start: unit.now, end: terms.trial_end ?? unit.now },
    latest_invoice: newId('in_1'),
    test_clock: customer.test_clock ?? null,
  });
  const own = discounts.map(discount => ({ ...discount, subscription: draft.id }));
  const ofItems = lines
    .flatMap(line => line.discounts ?? [])
    .map(discount => {
      const item = draft.items.data.find(one => one.discounts.includes(discount.id));
      return { ...discount, subscription: draft.id, subscription_item: item?.id ?? null };
    });
  const fresh = [...ofItems, ...own];
  const isTrial = terms.trial_end !== null;
  const period = isTrial ? currentPeriod(draft) : periodAt(unit.now, subscriptionCadence(draft), unit.now);
  const subscription = { ...draft, items: itemsIn(draft, period), discounts: own.map(({ id }) => id) };
  const billed = [...linesFor(unit, subscription, period), ...added];
  const bill: NewInvoice = {
    id: String(subscription.latest_invoice),
    customer,
    subscription,
    reason: 'subscription_create',
    currency: subscription.currency,
    lines: discounted(billed, rebatesOf(unit, subscription, unit.now, fresh)),
    period: { start: unit.now, end: unit.now },
  };
  return { subscription, discounts: fresh, bill };
}
