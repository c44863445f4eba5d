import type { PriceId, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindPrices, type BilledSubscription } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { offerFor, type Offer, type SoldPrice } from '#domain/offer.ts';
import type { Visitor } from './admit-visitor.ts';
import { findCustomerBilling } from './find-customer-billing.ts';

/** The prices that a project offers in its portal, by their ids. */
export type OfferedPrices = ReadonlyMap<PriceId, SoldPrice>;

/** A subscription of the visitor, and what may be changed of it. */
export interface OfferedChange {
  readonly subscription: BilledSubscription;
  readonly prices: OfferedPrices;
  /** Null when nothing may. */
  readonly offer: Offer | null;
}

/**
 * Finds the prices that the visitor's project offers; none unless its customers can change their plan.
 * @throws Problem 503 when the catalog does not reply
 */
export function findOfferedPrices({ rpc }: { readonly rpc: RpcClient }) {
  return async ({ scope, config: { planSwitch } }: Pick<Visitor, 'scope' | 'config'>): Promise<OfferedPrices> => {
    if (!planSwitch.enabled || planSwitch.priceIds.length === 0) return new Map();
    const found = await rpc.call(FindPrices, { ...scope, priceIds: [...planSwitch.priceIds] });
    return new Map(found.map(it => [it.price.id, it]));
  };
}

/**
 * Finds the prices that subscriptions are going to have, offered or not.
 * @throws Problem 503 when the catalog does not reply
 */
export function findComingPrices({ rpc }: { readonly rpc: RpcClient }) {
  return async (
    { scope }: Pick<Visitor, 'scope'>,
    subscriptions: readonly Pick<BilledSubscription, 'scheduledChange' | 'pendingChange'>[],
  ): Promise<OfferedPrices> => {
    const changes = subscriptions.flatMap(it => [it.scheduledChange, it.pendingChange]);
    const priceIds = [...new Set(changes.flatMap(it => it?.items ?? []).flatMap(({ priceId }) => priceId ?? []))];
    if (priceIds.length === 0) return new Map();
    const found = await rpc.call(FindPrices, { ...scope, priceIds });
    return new Map(found.map(it => [it.price.id, it]));
  };
}

/**
 * Finds what a visitor may change of a subscription.
 * @throws Problem 404 `subscription_not_found`, also for another customer's and for one that has ended; 503 when the catalog or
 * the subscriptions service does not reply
 */
export function findOffer({ rpc }: { readonly rpc: RpcClient }) {
  const findBilling = findCustomerBilling({ rpc });
  const findPrices = findOfferedPrices({ rpc });
  return async (visitor: Visitor, id: SubscriptionId): Promise<OfferedChange> => {
    const [{ subscriptions }, prices] = await Promise.all([findBilling(visitor), findPrices(visitor)]);
    const subscription = subscriptions.find(it => it.id === id);
    if (!subscription) throw notFound('subscription');
    return { subscription, prices, offer: offerFor(subscription, visitor.config, prices) };
  };
}
