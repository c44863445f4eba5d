import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PriceId, ProductId, ProjectId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { DEFAULT_PORTAL_CONFIG } from '@billing/contracts/resources/portal-config';
import { item } from '../../test/billing-samples.ts';
import { offerFor, requireOffered, type Changeable, type Choice, type SoldPrice } from './offer.ts';

const [BASIC, PRO, TEAM, USAGE] = ['1', '2', '3', '4'].map(digit =>
  PriceId.schema.parse(`pri_${digit.repeat(24)}`),
) as [PriceId, PriceId, PriceId, PriceId];
const row = { projectId: ProjectId.create(), version: 1, createdAt: new Date(), deletedAt: null };
const common = { ...row, key: null, isActive: true, metadata: {} };
const product = {
  ...common,
  id: ProductId.create(),
  name: 'Pro',
  description: null,
  unitLabel: null,
  taxCode: null,
  processorProductId: 'prod_1',
};

function sold(id: PriceId, changes: Partial<SoldPrice['price']> = {}): SoldPrice {
  const amount = { unitAmount: 2_999, unitAmountDecimal: '2999', billingScheme: 'per_unit', currency: 'usd' } as const;
  const period = {
    type: 'recurring',
    interval: 'month',
    intervalCount: 1,
    meter: null,
    metered: false,
    taxBehavior: 'unspecified',
    currencyOptions: {},
  } as const;
  const price = { ...common, ...amount, ...period, id, productId: product.id, processorPriceId: `price_${id}` };
  return { price: { ...price, ...changes }, product };
}

const EUROS = { currencyOptions: { eur: { unitAmount: 2_799 } } };
const PRICES = [sold(BASIC), sold(PRO), sold(TEAM), sold(USAGE, { metered: true })];
const catalog = (...changed: SoldPrice[]) => new Map([...PRICES, ...changed].map(one => [one.price.id, one]));

/** A subscription to three of PRO. */
const subscription: Changeable = {
  status: 'active',
  items: [{ ...item, priceId: PRO, processorPriceId: `price_${PRO}`, quantity: 3 }],
  pauseCollection: null,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  currentPeriodEnd: new Date('2026-12-20T00:00:00Z'),
  hasForeignSchedule: false,
};
const config = {
  planSwitch: { ...DEFAULT_PORTAL_CONFIG.planSwitch, enabled: true, priceIds: [BASIC, PRO, TEAM] },
  quantity: { enabled: true, min: 2, max: 10 },
};
const isOff = { enabled: false, min: 1, max: 10 };
const idsOf = (offer: ReturnType<typeof offerFor>) => offer?.choices.map(one => one?.price.id ?? null);

describe('an offer', () => {
  it('has the prices in the order of the settings, with what the subscription has in its place', () => {
    const offer = offerFor(subscription, config, catalog());
    expect(idsOf(offer)).toEqual([BASIC, null, TEAM]);
    expect(offer?.quantity).toEqual({ min: 2, max: 10 });
  });

  it('begins with what the subscription has when that is not among the prices, or archived', () => {
    const priceIds = [BASIC, TEAM];
    const other = { ...config, planSwitch: { ...config.planSwitch, priceIds } };
    expect(idsOf(offerFor(subscription, other, catalog()))).toEqual([null, BASIC, TEAM]);
    expect(idsOf(offerFor(subscription, config, catalog(sold(PRO, { isActive: false }))))).toEqual([BASIC, null, TEAM]);
  });

  it('has what a price costs in the currency of the subscription', () => {
    const inEuros = { ...subscription, items: subscription.items.map(one => ({ ...one, currency: 'eur' })) };
    const [basic, team] = [sold(BASIC, EUROS), sold(TEAM, { ...EUROS, currency: 'gbp' })];
    const offer = offerFor(inEuros, config, catalog(basic, team));
    const amount = { currency: 'eur', unitAmount: 2_799, unitAmountDecimal: '2799' };
    expect(offer?.choices).toMatchObject([
      { price: { ...amount, id: BASIC } },
      null,
      { price: { ...amount, id: TEAM } },
    ]);
    expect(offerFor(inEuros, { ...config, quantity: isOff }, catalog())).toBeNull();
  });

  it.each<[string, SoldPrice]>([
    ['of fractions in this currency', sold(TEAM, { currency: 'gbp', currencyOptions: { usd: { unitAmount: null } } })],
    ['in another currency', sold(TEAM, { currency: 'eur' })],
    ['paid once', sold(TEAM, { type: 'one_time', interval: null })],
    ['archived', sold(TEAM, { isActive: false })],
    ['deleted', sold(TEAM, { deletedAt: new Date() })],
    ['of an archived product', { ...sold(TEAM), product: { ...product, isActive: false } }],
    ['of a deleted product', { ...sold(TEAM), product: { ...product, deletedAt: new Date() } }],
  ])('leaves out a price that is %s', (_why, price) => {
    expect(idsOf(offerFor(subscription, config, catalog(price)))).toEqual([BASIC, null]);
  });

  it.each<Partial<Changeable>>([
    { status: 'past_due' },
    { status: 'unpaid' },
    { status: 'paused' },
    { status: 'incomplete' },
    { status: 'canceled' },
    { pauseCollection: { behavior: 'void', resumesAt: null } },
    { cancelAtPeriodEnd: true },
    { cancelAt: subscription.currentPeriodEnd },
    { hasForeignSchedule: true },
    { items: [] },
    { items: [item, { ...item, processorPriceId: 'price_2' }] },
  ])('is none for a subscription with %j', changes => {
    expect(offerFor({ ...subscription, ...changes }, config, catalog())).toBeNull();
  });

  it('is none when nothing is enabled, or nothing is left to choose', () => {
    expect(offerFor(subscription, DEFAULT_PORTAL_CONFIG, catalog())).toBeNull();
    const onlyOwn = { planSwitch: { ...config.planSwitch, priceIds: [PRO] }, quantity: isOff };
    expect(offerFor(subscription, onlyOwn, catalog())).toBeNull();
  });

  it('has no quantity for usage alone', () => {
    const metered = { ...subscription, items: [{ ...item, priceId: USAGE, metered: true, quantity: 0 }] };
    const onlyQuantity = { planSwitch: DEFAULT_PORTAL_CONFIG.planSwitch, quantity: config.quantity };
    expect(offerFor(metered, onlyQuantity, catalog())).toBeNull();
    expect(offerFor(metered, config, catalog())?.quantity).toEqual({ min: 2, max: 10 });
  });
});

describe('a choice', () => {
  const offer = offerFor(subscription, config, catalog());

  it.each<[Choice, Choice]>([
    [{ priceId: TEAM }, { priceId: TEAM, quantity: 3 }],
    [
      { priceId: TEAM, quantity: 10 },
      { priceId: TEAM, quantity: 10 },
    ],
    [{ quantity: 2 }, { quantity: 2 }],
    [{ priceId: PRO, quantity: 4 }, { quantity: 4 }],
    [{ priceId: PRO, quantity: 3 }, { quantity: 3 }],
    [{}, { quantity: 3 }],
  ])('of %j changes %j', (wanted, choice) => {
    expect(requireOffered(subscription, offer, wanted)).toEqual(choice);
  });

  it.each<Choice>([{ priceId: USAGE }, { priceId: PriceId.create() }, { quantity: 1 }, { quantity: 11 }])(
    'of %j is not offered',
    wanted => {
      expect(() => requireOffered(subscription, offer, wanted)).toThrow(
        expect.objectContaining({ code: 'price_not_offered' }),
      );
    },
  );

  it('of what the subscription has is known without an offer, so that a repeat is', () => {
    expect(requireOffered(subscription, null, { priceId: PRO, quantity: 3 })).toEqual({ quantity: 3 });
    expect(() => requireOffered(subscription, null, { quantity: 4 })).toThrow('quantity');
  });

  it('has no quantity for usage, and the least one after usage', () => {
    const withUsage = { ...config, planSwitch: { ...config.planSwitch, priceIds: [USAGE, TEAM] } };
    const toUsage = offerFor(subscription, withUsage, catalog());
    expect(requireOffered(subscription, toUsage, { priceId: USAGE, quantity: 7 })).toEqual({ priceId: USAGE });
    const metered = { ...subscription, items: [{ ...item, priceId: USAGE, metered: true, quantity: 0 }] };
    const fromUsage = offerFor(metered, withUsage, catalog());
    expect(requireOffered(metered, fromUsage, { priceId: TEAM })).toEqual({ priceId: TEAM, quantity: 2 });
  });

  const ids = fc.constantFrom(BASIC, PRO, TEAM, USAGE);
  const quantities = fc.integer({ min: 1, max: 12 });
  it('is never more than the page shows', () => {
    const settings = fc.record({
      planSwitch: fc.record({
        enabled: fc.boolean(),
        priceIds: fc.uniqueArray(ids),
        when: fc.constant('auto' as const),
        proration: fc.constant('none' as const),
      }),
      quantity: fc.record({ enabled: fc.boolean(), min: quantities, max: quantities }),
    });
    const wishes = fc.record({ priceId: fc.option(ids), quantity: fc.option(quantities) });
    fc.assert(
      fc.property(settings, wishes, (set, wish) => {
        const shown = offerFor(subscription, set, catalog());
        const wanted = { priceId: wish.priceId ?? undefined, quantity: wish.quantity ?? undefined };
        const isShown =
          wanted.priceId === undefined || wanted.priceId === PRO || idsOf(shown)?.includes(wanted.priceId);
        const { min, max } = shown?.quantity ?? { min: 3, max: 3 };
        const counts = wanted.priceId !== USAGE && wanted.quantity !== undefined && wanted.quantity !== 3;
        const fits = !counts || (min <= (wanted.quantity ?? 0) && (wanted.quantity ?? 0) <= max);
        const chosen = wanted.priceId === PRO ? undefined : wanted.priceId;
        expect(outcomeOf(shown, wanted)).toEqual(isShown && fits ? chosen : 'price_not_offered');
      }),
    );
  });
});

/** Returns the price that is chosen, or the code of the refusal. */
function outcomeOf(offer: ReturnType<typeof offerFor>, wanted: Choice): string | undefined {
  try {
    return requireOffered(subscription, offer, wanted).priceId;
  } catch (err) {
    return err instanceof Problem ? err.code : String(err);
  }
}
