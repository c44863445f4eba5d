import type { PriceId, SubscriptionId } from '@billing/contracts/ids';
import { type BilledSubscription } from '@billing/contracts/rpc/as-customer';
import { FindPrices } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { offerFor, type Offer, type SoldPrice } from '#domain/offer.ts';
import type { Visitor } from './admit-visitor.ts';
import { findSubscription } from './find-customer-billing.ts';

/** Prices by their ids. */
export type Prices = ReadonlyMap<PriceId, SoldPrice>;

/** A subscription of the visitor, and what may be changed of it. */
export interface OfferedChange {
  readonly subscription: BilledSubscription;
  readonly prices: Prices;
  /** Null when nothing may. */
  readonly offer: Offer | null;
}

/**
 * Finds the prices that the visitor's project offers, unless its customers cannot change their plan, and those that
 * subscriptions are going to have.
 * @throws Problem 503 when the catalog does not reply
 */
export function findPrices({ rpc }: { readonly rpc: RpcClient }) {
  return async (
    { scope, config: { planSwitch } }: Pick<Visitor, 'scope' | 'config'>,
    subscriptions: readonly Pick<BilledSubscription, 'scheduledChange' | 'pendingChange'>[] = [],
  ): Promise<Prices> => {
    const changes = subscriptions.flatMap(it => [it.scheduledChange, it.pendingChange]);
    const coming = changes.flatMap(it => it?.items ?? []).flatMap(({ priceId }) => priceId ?? []);
    const priceIds = [...new Set([...(planSwitch.enabled ? planSwitch.priceIds : []), ...coming])];
    if (priceIds.length === 0) return new Map();
    const found = await rpc.call(FindPrices, { ...scope, priceIds });
    return new Map(found.map(it => [it.price.id, it]));
  };
}

/**
 * Finds what a visitor may change of a subscription.
 * @throws Problem what `findSubscription` throws; 503 when the catalog does not reply
 */
export function findOffer({ rpc }: { readonly rpc: RpcClient }) {
  const [find, findOffered] = [findSubscription({ rpc }), findPrices({ rpc })];
  return async (visitor: Visitor, id: SubscriptionId): Promise<OfferedChange> => {
    const [subscription, prices] = await Promise.all([find(visitor, id), findOffered(visitor)]);
    return { subscription, prices, offer: offerFor(subscription, visitor.config, prices) };
  };
}
