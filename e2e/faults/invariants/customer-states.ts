import { isDeepStrictEqual } from 'node:util';
import type { Price, ProductFeature, Subscription } from '@billing/client';
import { hasEnded } from '../model/subscriptions.ts';
import type { Snapshot } from './snapshot.ts';

/** No history lasts longer than the grace. */
const GRANTING: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);
/** Of more subscriptions a state shows the newest. */
const MAX_SHOWN = 200;
const NOTHING = { entitlements: {}, payment: { status: 'ok' } };

/** Finds states of customers that are not what their records say, or not what was published of them last. */
export function wrongStates(snapshot: Snapshot): string[] {
  const { customers, subscriptions, states, publishedStates } = snapshot;
  return customers.flatMap(({ id }) => {
    const state = states.get(id);
    if (!state) return [`state of ${id} is missing`];
    const own = subscriptions.filter(({ customerId, status }) => customerId === id && !hasEnded(status));
    const ids = new Set(own.map(it => it.id));
    const shownIds = state.subscriptions.map(it => it.id);
    const expected = {
      subscriptions: Math.min(own.length, MAX_SHOWN),
      others: [],
      total: own.length,
      status: ['unpaid', 'past_due'].find(worst => own.some(({ status }) => status === worst)) ?? 'ok',
      seats: seatsOf(own, snapshot),
    };
    const seats = expected.seats === 'unknown' ? 'unknown' : (state.entitlements['seats']?.value ?? 0);
    const shown = {
      subscriptions: new Set(shownIds).size,
      others: shownIds.filter(it => !ids.has(it)),
      total: state.subscriptionsTotal,
      status: state.payment.status,
      seats,
    };
    const published = publishedStates.get(id) ?? NOTHING;
    return [
      ...difference(`state of ${id}`, shown, expected),
      // Too long for an event, it says to read the state.
      ...(published === 'truncated'
        ? []
        : difference(`last event about the state of ${id}`, essence(published), essence(state))),
    ];
  });
}

const essence = ({ entitlements, payment }: { entitlements: object; payment: { status: string } }) => ({
  entitlements,
  status: payment.status,
});

const difference = (name: string, shown: object, expected: object): string[] =>
  isDeepStrictEqual(shown, expected)
    ? []
    : [`${name} has ${JSON.stringify(shown)}, expected ${JSON.stringify(expected)}`];

/** The seats that subscriptions give together; unknown when a price was deleted, whose product nobody can read any more. */
function seatsOf(subscriptions: readonly Subscription[], { prices, productFeatures }: Snapshot): number | 'unknown' {
  const byId = new Map(prices.map(price => [price.id, price]));
  const billed = subscriptions
    .filter(({ status }) => GRANTING.has(status))
    .flatMap(({ items }) => items.flatMap(({ priceId, quantity }) => (priceId ? [{ priceId, quantity }] : [])));
  if (!billed.every(({ priceId }) => byId.has(priceId))) return 'unknown';
  return billed.reduce((sum, { priceId, quantity }) => {
    const given = givenBy(byId.get(priceId), productFeatures);
    return sum + Number(given?.value ?? 0) * (given?.per === 'quantity' ? quantity : 1);
  }, 0);
}

const givenBy = (price: Price | undefined, all: readonly ProductFeature[]): ProductFeature | undefined =>
  all.find(it => it.priceId === price?.id) ?? all.find(it => it.productId === price?.productId);
