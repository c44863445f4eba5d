import { describe, expect, it } from 'vitest';
import type { PlanChange as RequestedChange } from '@billing/contracts/resources/plan-change';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';
import type { SubscriptionItemSnapshot } from '@billing/processor/snapshots/subscription';
import { aPrice, aSnapshot } from '../../test/snapshots.ts';
import { decideChange, requireChangeable } from './decide.rules.ts';
import { changedItems, requestedItems, requireFitting, type WantedItem } from './items.rules.ts';

const MINUTE_MS = 60_000;
const NOW = new Date('2026-04-13T09:17:31.400Z');
const THIS_SECOND = new Date('2026-04-13T09:17:31.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const anItem = (price: Partial<PriceSnapshot> = {}, quantity = 5): SubscriptionItemSnapshot => {
  const whole = aPrice(price);
  return { id: `si_${whole.id}`, price: whole, quantity, amount: whole, discounts: [] };
};

const OFFER: NonNullable<WantedItem['offer']> = {
  price: { isActive: true, type: 'recurring' },
  product: { isActive: true, deletedAt: null },
};

const aWantedItem = (price: Partial<PriceSnapshot> = {}, quantity = 5): WantedItem => {
  const whole = aPrice(price);
  return { priceId: null, price: whole, amount: whole, quantity, offer: whole.id === 'price_1' ? null : OFFER };
};

const toSeats = (changes: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot =>
  aSnapshot({ currency: 'usd', items: [anItem()], ...changes });

const DEAR = aWantedItem({ id: 'price_dear', unitAmount: 2_000 });
const CHEAP = aWantedItem({ id: 'price_cheap', unitAmount: 500 });
const YEARLY = aWantedItem({ id: 'price_year', unitAmount: 12_000, interval: 'year' });
const WEEKLY = aWantedItem({ id: 'price_week', unitAmount: 1_000, interval: 'week' });
const FEWER = aWantedItem({}, 3);

interface Case {
  readonly snapshot?: Partial<SubscriptionSnapshot>;
  readonly wanted?: readonly WantedItem[];
  readonly request?: Partial<Pick<RequestedChange, 'when' | 'proration' | 'prorationDate' | 'trial' | 'billingCycle'>>;
}

const decide = ({ snapshot, wanted = [DEAR], request }: Case = {}) =>
  decideChange({
    snapshot: toSeats(snapshot),
    wanted,
    discounts: undefined,
    request: { when: 'now', trial: 'keep', billingCycle: 'keep', ...request },
    now: NOW,
  });

const problem = (code: string, details?: object) => expect.objectContaining({ code, ...(details && { details }) });

describe('a change is refused', () => {
  it.each<[string, Partial<SubscriptionSnapshot>]>([
    ['subscription_ended', { status: 'canceled' }],
    ['subscription_ended', { status: 'incomplete_expired' }],
    ['subscription_incomplete', { status: 'incomplete' }],
    ['subscription_paused', { status: 'paused' }],
    ['subscription_paused', { pauseCollection: { behavior: 'void', resumesAt: null } }],
    ['subscription_past_due', { status: 'past_due' }],
    ['subscription_past_due', { status: 'unpaid' }],
  ])('with %s by the state of the subscription: %j', (code, snapshot) => {
    expect(() => requireChangeable(toSeats(snapshot))).toThrow(problem(code));
  });

  it.each<[string, Partial<WantedItem>]>([
    ['price_inactive', { offer: { ...OFFER, price: { isActive: false, type: 'recurring' } } }],
    ['product_inactive', { offer: { ...OFFER, product: { isActive: false, deletedAt: null } } }],
    ['price_type_mismatch', { offer: { ...OFFER, price: { isActive: true, type: 'one_time' } } }],
  ])('with %s by how a new price is sold', (code, item) => {
    expect(() => requireFitting([{ ...DEAR, ...item }], toSeats())).toThrow(problem(code));
  });

  it('with currency_mismatch, unless the price is sold in the currency too', () => {
    const price = aPrice({ id: 'price_eur', currency: 'eur' });
    const details = { subscription: 'usd', price: 'eur' };
    expect(() => requireFitting([{ ...DEAR, price }], toSeats())).toThrow(problem('currency_mismatch', details));
    const both = { ...price, currencyOptions: new Map([['usd', price]]) };
    expect(() => requireFitting([{ ...DEAR, price: both }], toSeats())).not.toThrow();
  });

  it('with interval_mismatch for items of two intervals', () => {
    expect(() => requireFitting([DEAR, YEARLY], toSeats())).toThrow(problem('interval_mismatch'));
    const quarterly = aWantedItem({ id: 'price_quarter', intervalCount: 3 });
    expect(() => requireFitting([DEAR, quarterly], toSeats())).toThrow(problem('interval_mismatch'));
  });

  it('with no_change when nothing is different, but not when a trial ends by it', () => {
    expect(() => decide({ wanted: [aWantedItem()] })).toThrow(problem('no_change'));
    const trial = { snapshot: { status: 'trialing' }, wanted: [aWantedItem()] } as const;
    expect(() => decide({ ...trial })).toThrow(problem('no_change'));
    expect(decide({ ...trial, request: { trial: 'end' } }).change).toMatchObject({ items: [], endsTrial: true });
    expect(() => decide({ wanted: [aWantedItem()], request: { trial: 'end' } })).toThrow(problem('no_change'));
    const restart = { wanted: [aWantedItem()], request: { billingCycle: 'restart' } } as const;
    expect(decide(restart)).toMatchObject({ when: 'now', exact: false, prorationDate: null });
    expect(decide(restart).change).toMatchObject({ items: [], proration: 'always_invoice', resetsAnchor: true });
    expect(() => decide({ ...restart, snapshot: { status: 'trialing' } })).toThrow(problem('no_change'));
  });

  it('with subscription_set_to_cancel at the end of the period only', () => {
    const snapshot = { cancelAtPeriodEnd: true };
    const refused = problem('subscription_set_to_cancel');
    expect(() => decide({ snapshot, request: { when: 'period_end' } })).toThrow(refused);
    expect(() => decide({ snapshot, wanted: [CHEAP], request: { when: 'auto' } })).toThrow(refused);
    expect(decide({ snapshot }).when).toBe('now');
  });

  it.each<[string, Date]>([
    ['older than 15 minutes', ago(15 * MINUTE_MS + 1)],
    ['in the future', ago(-MINUTE_MS)],
    ['before the period', new Date('2026-03-31T23:59:59Z')],
  ])('with preview_expired for a date %s', (_, prorationDate) => {
    expect(() => decide({ request: { prorationDate } })).toThrow(problem('preview_expired'));
  });

  it('with preview_expired for a date of the last period, however young', () => {
    const snapshot = { currentPeriodStart: THIS_SECOND };
    const request = { prorationDate: ago(1_000) };
    expect(() => decide({ snapshot, request })).toThrow(problem('preview_expired'));
    expect(() => decide({ snapshot, request: { prorationDate: NOW } })).not.toThrow();
  });

  it('with subscription_has_several_items when it names one of several', () => {
    const snapshot = toSeats({ items: [anItem(), anItem({ id: 'price_2', productId: 'prod_2' })] });
    expect(() => requestedItems({ quantity: 2 }, snapshot)).toThrow(problem('subscription_has_several_items'));
    expect(requestedItems({}, snapshot)).toMatchObject([{ quantity: 5 }, { quantity: 5 }]);
  });
});

describe('an archived price', () => {
  it('is kept when only the quantity changes', () => {
    expect(() => requireFitting([FEWER], toSeats())).not.toThrow();
    expect(decide({ wanted: [FEWER] })).toMatchObject({
      change: { items: [{ id: 'si_price_1', quantity: 3 }] },
    });
  });
});

describe('the direction', () => {
  it.each<['up' | 'down' | 'same', readonly WantedItem[]]>([
    ['up', [DEAR]],
    ['down', [CHEAP]],
    ['down', [FEWER]],
    ['same', [YEARLY]],
    ['same', [aWantedItem({ id: 'price_2' })]],
    ['up', [aWantedItem({ id: 'price_2', unitAmount: null, unitAmountDecimal: '1000.0000001' })]],
    // 52 weeks a year make it dearer than 12 months.
    ['up', [aWantedItem({ id: 'price_2', unitAmount: 231, interval: 'week' })]],
    ['down', [aWantedItem({ id: 'price_2', unitAmount: 230, interval: 'week' })]],
  ])('is %s by the exact monthly amount', (direction, wanted) => {
    expect(decide({ wanted }).direction).toBe(direction);
  });
});

describe('the time of a change', () => {
  it.each<[string, readonly WantedItem[], 'now' | 'period_end']>([
    ['a dearer plan', [DEAR], 'now'],
    ['a cheaper plan', [CHEAP], 'period_end'],
    ['fewer seats', [FEWER], 'period_end'],
    ['a longer interval at the same amount', [YEARLY], 'now'],
    ['a shorter interval, although dearer', [WEEKLY], 'period_end'],
  ])('is chosen for %s', (_, wanted, when) => {
    expect(decide({ wanted, request: { when: 'auto' } }).when).toBe(when);
  });

  it('is now when it ends the trial', () => {
    const snapshot = { status: 'trialing' } as const;
    expect(decide({ snapshot, wanted: [CHEAP], request: { when: 'auto', trial: 'end' } }).when).toBe('now');
  });

  it('is the end of the period, or this second', () => {
    expect(decide({ request: { when: 'period_end' } }).effectiveAt).toEqual(new Date('2026-05-01T00:00:00Z'));
    expect(decide().effectiveAt).toEqual(THIS_SECOND);
  });
});

describe('the proration of a change', () => {
  it.each<[string, Case, string]>([
    ['now', {}, 'always_invoice'],
    ['now, as it is wanted', { request: { proration: 'create_prorations' } }, 'create_prorations'],
    ['at the end of the period', { request: { when: 'period_end' } }, 'none'],
    ['in a trial', { snapshot: { status: 'trialing' }, request: { proration: 'always_invoice' } }, 'none'],
    ['that ends a trial', { snapshot: { status: 'trialing' }, request: { trial: 'end' } }, 'none'],
  ])('%s is %3$s', (_, given, proration) => {
    expect(decide(given).change.proration).toBe(proration);
  });

  it('counts from a whole second of the processor, which later changes can give', () => {
    const first = decide();
    expect(first).toMatchObject({ exact: true, prorationDate: THIS_SECOND, change: { prorationDate: THIS_SECOND } });
    expect(first.expiresAt).toEqual(new Date(THIS_SECOND.getTime() + 15 * MINUTE_MS));
    const prorationDate = new Date(THIS_SECOND.getTime() - 5 * MINUTE_MS);
    expect(decide({ request: { prorationDate } })).toMatchObject({
      prorationDate,
      expiresAt: new Date(prorationDate.getTime() + 15 * MINUTE_MS),
      change: { prorationDate },
    });
  });

  it('has no date to send without prorations', () => {
    const { prorationDate, change } = decide({ request: { proration: 'none' } });
    expect(prorationDate).toEqual(THIS_SECOND);
    expect(change).not.toHaveProperty('prorationDate');
  });

  it('is not pinned when a new interval begins a period, except in a trial', () => {
    const begun = decide({ wanted: [YEARLY], request: { prorationDate: THIS_SECOND } });
    expect(begun).toMatchObject({ exact: false, prorationDate: null, change: { resetsAnchor: true } });
    expect(begun.change).not.toHaveProperty('prorationDate');
    const inTrial = decide({ wanted: [YEARLY], snapshot: { status: 'trialing' } });
    expect(inTrial.exact).toBe(true);
    expect(inTrial.change).not.toHaveProperty('resetsAnchor');
    expect(decide({ wanted: [YEARLY], request: { when: 'period_end' } }).change).not.toHaveProperty('resetsAnchor');
  });

  it('is not pinned either when what was free costs something, as that begins a period too', () => {
    const free = { unitAmount: 0, unitAmountDecimal: '0' };
    const snapshot = { items: [anItem(free)] };
    const begun = { exact: false, prorationDate: null, change: { resetsAnchor: true } };
    expect(decide({ snapshot, request: { prorationDate: THIS_SECOND } })).toMatchObject(begun);
    const stays = [
      decide({ snapshot, wanted: [aWantedItem({ id: 'price_2', ...free })] }),
      decide({ snapshot, request: { when: 'period_end' } }),
      decide({ snapshot: { ...snapshot, status: 'trialing' } }),
      decide({ snapshot: { items: [anItem(free), anItem({ id: 'price_3' })] } }),
      decide({ snapshot: { items: [anItem({ ...free, metered: true })] } }),
      decide({ wanted: [aWantedItem({ id: 'price_2', ...free })] }),
    ];
    for (const { exact, change } of stays) {
      expect(exact).toBe(true);
      expect(change).not.toHaveProperty('resetsAnchor');
    }
  });

  it('stays within the period that has just begun by another clock', () => {
    const currentPeriodStart = new Date(THIS_SECOND.getTime() + 2_000);
    expect(decide({ snapshot: { currentPeriodStart } }).prorationDate).toEqual(currentPeriodStart);
  });
});

describe('wanted items', () => {
  const [seats, support] = [anItem(), anItem({ id: 'price_2', productId: 'prod_2' }, 1)];

  it('keep their ids: by price, then by product; the rest is added and removed', () => {
    const wanted = [
      aWantedItem({ id: 'price_3', productId: 'prod_3' }, 1),
      aWantedItem({ id: 'price_4' }, 2),
      aWantedItem({ id: 'price_2', productId: 'prod_2' }, 4),
    ];
    const gone = anItem({ id: 'price_5', productId: 'prod_5' });
    const other = anItem({ id: 'price_6', productId: 'prod_6' });
    expect(changedItems([seats, support, gone, other], wanted)).toEqual({
      items: [
        { priceId: 'price_3', quantity: 1 },
        { id: seats.id, priceId: 'price_4', quantity: 2 },
        { id: support.id, quantity: 4 },
      ],
      removedItemIds: [gone.id, other.id],
    });
  });

  it('give the last item another product in place', () => {
    const wanted = [aWantedItem({ id: 'price_3', productId: 'prod_3' }, 7)];
    expect(changedItems([seats], wanted)).toEqual({
      items: [{ id: seats.id, priceId: 'price_3', quantity: 7 }],
      removedItemIds: [],
    });
  });

  it('prefer the item with the price to another one of its product', () => {
    const sibling = anItem({ id: 'price_7' });
    const wanted = [aWantedItem({ id: 'price_7' }, 9), aWantedItem({ id: 'price_8' }, 1)];
    expect(changedItems([seats, sibling], wanted).items).toEqual([
      { id: sibling.id, quantity: 9 },
      { id: seats.id, priceId: 'price_8', quantity: 1 },
    ]);
  });

  it('have a quantity unless they are billed by usage', () => {
    const metered = aWantedItem({ id: 'price_9', metered: true });
    expect(changedItems([seats], [metered]).items).toEqual([{ id: seats.id, priceId: 'price_9' }]);
    expect(changedItems([anItem({ id: 'price_9', metered: true }, 1)], [metered]).items).toEqual([]);
  });
});
