import type { Buyer } from './history.ts';

/** A price, with our id and the Stripe id. */
export interface Price {
  readonly id: string;
  readonly processorPriceId: string;
}

/** What the buyers' subscriptions can bill. */
export interface Prices {
  /** Created through the API. */
  readonly plans: readonly [Price, ...Price[]];
  /** A price in US dollars that is paid once. */
  readonly once: Price;
  /** Stripe ids of prices that are created at the dashboard, because the API has no such prices. */
  readonly atDashboard: Readonly<Record<'package' | 'decimal' | 'tiered' | 'metered' | 'inTwoCurrencies', string>>;
}

/** An action on a buyer. `number` varies the values it writes, so that each action changes something. */
export type Action = (buyer: Buyer, prices: Prices, number: number) => Promise<unknown>;

/** A subscription as Stripe returns it. */
export interface Subscription {
  readonly id: string;
  readonly schedule: string | null;
  readonly items: { readonly data: readonly [{ readonly id: string }] };
}

/** Returns one of the items, which `number` chooses; undefined when there are none. */
export const pick = <Item>(items: readonly Item[], number: number): Item | undefined => items[number % items.length];

/** Returns one of the plans, which `number` chooses. */
export const planAt = ({ plans }: Prices, number: number): Price => pick(plans, number) ?? plans[0];

/** Returns an action on the buyer's newest subscription that has not ended. */
export function ofNewest(act: (buyer: Buyer, subscription: Subscription, number: number) => Promise<unknown>): Action {
  return async (buyer, _, number) => {
    const { data } = await buyer.tenant.callProcessor(`/v1/subscriptions?customer=${buyer.processorCustomerId}`);
    const newest: Subscription | undefined = data[0];
    if (newest) await act(buyer, newest, number);
  };
}

/** Returns an action that updates the buyer's newest subscription, as the dashboard does. */
export function changing(change: (number: number, subscription: Subscription) => Record<string, string>): Action {
  return ofNewest(({ tenant }, subscription, number) =>
    tenant.callProcessor(`/v1/subscriptions/${subscription.id}`, change(number, subscription)),
  );
}
