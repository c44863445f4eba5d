import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { PlanChange as RequestedChange } from '@billing/contracts/resources/plan-change';
import type { WantedDiscount } from '@billing/processor/plan-changes';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import type { DiscountSnapshot } from '@billing/processor/snapshots/discounts';
import { billedDiscounts } from '@billing/processor/snapshots/subscription-discounts';
import { amountIn, type SubscriptionItemSnapshot } from '@billing/processor/snapshots/subscription';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { findOffer } from '#copies/find-offer';
import { resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Reread } from '#record/observation.rules';
import { readWith } from '#record/read-subscription';
import { hasBegun, readManagingSchedule } from '#record/schedule.rules';
import { findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { requireRunning, requireUnscheduled } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { findMigrating } from './change-ids.ts';
import { decideChange, requireChangeable, type DecidedChange } from './decide.rules.ts';
import { requestedItems, requireFitting, type RequestedItem, type WantedItem } from './items.rules.ts';

/** A change of plan as it is decided, with the subscription that it is for. */
export interface PreparedChange extends DecidedChange {
  /** The discounts that are left once an invoice has used up those that count once. */
  readonly lastingDiscounts: readonly WantedDiscount[];
  readonly subscription: Subscription;
  /** As the processor has it. */
  readonly reread: Reread;
}

/** What a caller wants of a subscription. */
export type WantedChange = Pick<
  RequestedChange,
  'items' | 'priceId' | 'quantity' | 'when' | 'proration' | 'prorationDate' | 'promotionCode' | 'trial' | 'billingCycle'
>;

/**
 * Prepares a change of plan, for a preview and for the change itself: reads the subscription and the new prices at the
 * processor, finds out how the prices are sold and what a promotion code redeems, and decides by that how the change is made
 * (`decideChange`). `check` is the first to see the subscription as the processor has it. Changes nothing.
 * @throws what `check` throws; Problem 404 `subscription_not_found`, `price_not_found`, `promotion_code_not_found`; 422 in the
 * order of the checks: `subscription_ended` … (`requireChangeable`), `subscription_has_schedule`, `subscription_has_several_items`,
 * `price_inactive` … (`requireFitting`), `promotion_code_inactive` …, `no_change`, `subscription_set_to_cancel`; 409
 * `preview_expired`, `processor_not_connected`
 */
export function prepareChange(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const { em, processors, now } = dependencies;
  const [offerOf, resolve] = [findOffer(dependencies), resolvePromotionCode(dependencies)];

  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    request: WantedChange,
    check: (snapshot: SubscriptionSnapshot) => void = () => undefined,
  ): Promise<PreparedChange> => {
    const subscription = await findSubscription(em.fork(), scope, key);
    requireRunning(subscription.status);
    const processor = await processors.of(scope.teamId);
    const object = { scope, id: subscription.processorSubscriptionId };
    const reread = await readWith({ processor, em: em.fork(), now }, object);
    const { snapshot } = reread;
    check(snapshot);
    requireChangeable(snapshot);
    requireUnscheduled(snapshot);
    const requested = requestedItems(request, snapshot);
    const [wanted, clock] = await Promise.all([
      findWanted(processor, requested, { scope, snapshot }),
      processor.readClock(snapshot.testClockId),
    ]);
    requireFitting(wanted, snapshot);
    const { discounts, lasting } = await findDiscounts(request.promotionCode, { scope, snapshot, wanted });
    const decided = decideChange({ snapshot, wanted, discounts, request, now: clock ?? now() });
    if (key.customerId !== undefined && decided.when === 'period_end')
      await requireNoMigration(scope, subscription, snapshot);
    return { ...decided, lastingDiscounts: lasting, subscription, reread };
  };

  /** Checks that a customer does not put another change in the place of one that a price migration has scheduled. */
  async function requireNoMigration(
    scope: ProjectScope,
    { id: subscriptionId }: Subscription,
    snapshot: SubscriptionSnapshot,
  ): Promise<void> {
    const change = readManagingSchedule(snapshot, null)?.change;
    if (!change || hasBegun(change, snapshot)) return;
    const migrating = await findMigrating(em.fork(), scope, [{ subscriptionId, changeId: change.id }]);
    if (migrating.size === 0) return;
    const message =
      'A price migration changes the subscription at the end of its period; nothing else can be scheduled.';
    throw unprocessable('subscription_has_schedule', message);
  }

  /** Finds the prices of all items: our ids of those that the subscription has, and how the others are sold. */
  async function findWanted(
    processor: Processor,
    requested: readonly RequestedItem[],
    { scope, snapshot: { items, currency } }: { scope: ProjectScope; snapshot: SubscriptionSnapshot },
  ): Promise<WantedItem[]> {
    const ids = await findKnownPriceIds(
      em.fork(),
      scope,
      items.map(({ price }) => price.id),
    );
    const idOf = ({ price }: SubscriptionItemSnapshot) => ids.get(price.id) ?? null;

    return Promise.all(
      requested.map(async (want): Promise<WantedItem> => {
        const { quantity } = want;
        const keep = ({ price, amount }: SubscriptionItemSnapshot, priceId: PriceId | null) => {
          return { priceId, price, amount, quantity, offer: null };
        };
        if ('item' in want) return keep(want.item, idOf(want.item));
        const { priceId } = want;
        const item = items.find(it => idOf(it) === priceId);
        if (item) return keep(item, priceId);
        const offer = await offerOf(scope, priceId);
        if (!offer) throw notFound('price');
        const { processorPriceId } = offer.price;
        const same = items.find(({ price }) => price.id === processorPriceId);
        if (same) return keep(same, priceId);
        const price = await processor.findPrice(processorPriceId);
        // Who archived it at the processor may have done it a moment ago.
        const sold = { ...offer.price, isActive: offer.price.isActive && price.isActive };
        const amount = amountIn(currency ?? price.currency, price);
        return { priceId, price, amount, quantity, offer: { ...offer, price: sold } };
      }),
    );
  }

  /**
   * Returns all discounts that a subscription is to have, which are absent when they stay; and those that do not count once
   * only. A code that it has is not redeemed again.
   */
  async function findDiscounts(
    promotionCode: string | null | undefined,
    { scope, snapshot, wanted }: { scope: ProjectScope; snapshot: SubscriptionSnapshot; wanted: readonly WantedItem[] },
  ): Promise<{ discounts?: readonly WantedDiscount[]; lasting: readonly WantedDiscount[] }> {
    const { customerId: processorCustomerId } = snapshot;
    const discounts = billedDiscounts(snapshot);
    const lasts = ({ detail }: DiscountSnapshot) => detail?.coupon?.duration !== 'once';
    const ofCustomer = [snapshot.customerDiscount ?? []].flat().filter(lasts).map(toWanted);
    const own = snapshot.discounts.filter(lasts).map(toWanted);
    const lasting = own.length > 0 ? own : ofCustomer;
    if (promotionCode === undefined) return { lasting };
    if (promotionCode === null) return { ...(snapshot.discounts.length > 0 && { discounts: [] }), lasting: ofCustomer };
    const code = await resolve(scope, {
      promotionCode,
      processorCustomerId,
      currency: snapshot.currency ?? wanted[0]?.price.currency ?? '',
      priceIds: wanted.map(({ priceId }) => priceId),
      discounts,
    });
    if (code.redeemed) return { lasting };
    const added = { promotionCodeId: code.processorPromotionCodeId };
    return {
      discounts: [...discounts.map(toWanted), added],
      lasting: code.coupon.duration === 'once' ? lasting : [...lasting, added],
    };
  }
}

const toWanted = ({ id: discountId }: DiscountSnapshot): WantedDiscount => ({ discountId });
