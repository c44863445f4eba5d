import type { UnitOfWork } from '../api/unit-of-work.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { changedItem, currentPeriod, hasSameCadence, newItem } from '../objects/subscription.ts';
import type { Discount, Phase, Subscription, SubscriptionItem, SubscriptionSchedule } from '../objects/stored.ts';
import { discountsFor, discountsForItem, discountsOf } from './discounts.ts';

/** Returns the schedule that manages a subscription. */
export function activeScheduleOf(unit: UnitOfWork, { schedule: id }: Subscription): SubscriptionSchedule | undefined {
  const schedule = unit.tables.subscription_schedule.get(id ?? '');
  return schedule?.status === 'active' ? schedule : undefined;
}

/** Returns the phase that follows the current one; undefined when that is the last. */
export function nextPhaseOf({ phases, current_phase: current }: SubscriptionSchedule): Phase | undefined {
  return current ? phases.find(({ start_date: start }) => start === current.end_date) : undefined;
}

/** Returns a phase as it can begin: without discounts that it keeps, and that the subscription has no more. */
export function beginning(phase: Phase, subscription: Subscription): Phase {
  const kept = discountsOf(subscription);
  const left = (discounts: Phase['discounts']) =>
    discounts.filter(({ discount }) => discount === null || kept.includes(discount));
  const items = phase.items.map(item => ({ ...item, discounts: left(item.discounts) }));
  return { ...phase, items, discounts: left(phase.discounts) };
}

/** Returns the phase that a schedule is in. */
export function currentPhaseOf({ phases, current_phase: current }: SubscriptionSchedule): Phase | undefined {
  return phases.find(({ start_date: start }) => start === current?.start_date);
}

/** Returns a schedule with other phases, in that which begins when its current one did. */
export function inCurrentPhase(schedule: SubscriptionSchedule, phases: Phase[]): SubscriptionSchedule {
  const current = phases.find(({ start_date: start }) => start === schedule.current_phase?.start_date);
  return {
    ...schedule,
    phases,
    current_phase: current ? { start_date: current.start_date, end_date: current.end_date } : null,
  };
}

/**
 * Returns a subscription as a phase of its schedule wants it, and the discounts that the phase redeems; nothing is stored. A
 * phase names all: what it leaves out comes from the schedule's default settings, and its discounts are gone. Metadata is
 * merged.
 * (Stripe: https://docs.stripe.com/billing/subscriptions/subscription-schedules)
 */
export function inPhase(
  unit: UnitOfWork,
  subscription: Subscription,
  schedule: SubscriptionSchedule,
  phase: Phase,
): { after: Subscription; discounts: Discount[] } {
  const wanted = phaseItems(unit, subscription, phase).map(({ item, discounts }) => {
    const named = discountsForItem(unit, subscription, item, discounts.map(given));
    return { item: { ...item, discounts: named.ids }, fresh: named.fresh };
  });
  const items = { ...subscription.items, data: wanted.map(({ item }) => item) };
  const { ids, fresh } = discountsFor(unit, { ...subscription, items }, phase.discounts.map(given));
  const { default_settings: defaults } = schedule;
  const method = phase.collection_method ?? defaults.collection_method;
  const after: Subscription = {
    ...subscription,
    items,
    discounts: ids,
    metadata: mergeMetadata(subscription.metadata, phase.metadata ?? undefined),
    default_payment_method: phase.default_payment_method ?? defaults.default_payment_method,
    description: phase.description ?? defaults.description,
    collection_method: method === 'send_invoice' ? 'send_invoice' : 'charge_automatically',
    days_until_due: (phase.invoice_settings ?? defaults.invoice_settings).days_until_due ?? null,
    ...(phase.automatic_tax && { automatic_tax: phase.automatic_tax }),
  };
  return { after, discounts: [...wanted.flatMap(it => it.fresh), ...fresh] };
}

/** Returns a subscription that is in a phase from its first second on: another interval moves the anchor there. */
export function anchoredIn(after: Subscription, before: Subscription, phase: Phase): Subscription {
  const isMoved = !hasSameCadence(before, after) || phase.billing_cycle_anchor === 'phase_start';
  return isMoved ? { ...after, billing_cycle_anchor: phase.start_date } : after;
}

/** Items are matched by price, by product, then in their order, so that their ids stay. */
function phaseItems(
  unit: UnitOfWork,
  subscription: Subscription,
  phase: Phase,
): { item: SubscriptionItem; discounts: Phase['discounts'] }[] {
  const left = [...subscription.items.data];
  const take = (matches: (item: SubscriptionItem) => boolean) => {
    const index = left.findIndex(matches);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const wanted = phase.items.flatMap(item => {
    const price = unit.tables.price.get(item.price);
    return price ? [{ ...item, price, same: take(one => one.price.id === price.id) }] : [];
  });
  const ofProduct = wanted.map(want => ({
    ...want,
    same: want.same ?? take(one => one.price.product === want.price.product),
  }));
  return ofProduct.map(({ price, quantity = null, discounts, same = take(() => true) }) => ({
    discounts,
    item: same
      ? changedItem(same, price, quantity)
      : newItem(unit, subscription.id, { price, quantity }, currentPeriod(subscription)),
  }));
}

/** Returns the one of the three that a phase's discount names: an existing discount before what it was made of. */
function given({ coupon, discount, promotion_code: code }: Phase['discounts'][number]) {
  if (discount !== null) return { discount };
  return code === null ? { coupon: coupon ?? '' } : { promotion_code: code };
}
