import type { RecordedCatalog } from './items.rules.ts';

/**
 * Returns a project as if what is active and has no key had one made of its name, so that an apply with `adopt` gives it that. What
 * an apply would confuse with another, by its name or its terms, stays without; so does what belongs to it.
 */
export function withProposedKeys(recorded: RecordedCatalog): RecordedCatalog {
  const newProductKey = keysBeside(recorded.products);
  const products = proposed(
    recorded.products,
    ({ item }) => item.name,
    ({ item }) => newProductKey(slug(item.name) || 'product'),
  );
  const keyOfProduct = new Map(products.map(({ id, item }) => [id, item.key]));

  const newPriceKey = keysBeside(recorded.prices);
  const prices = proposed(
    recorded.prices,
    ({ productId, item }) => JSON.stringify([productId, ...termsOf(item)]),
    ({ productId, item }) => {
      const ofProduct = keyOfProduct.get(productId) ?? null;
      return ofProduct === null ? null : newPriceKey(`${ofProduct}_${rhythmOf(item)}_${item.currency}`);
    },
  );

  const productKeysNow = new Set(keyOfProduct.values());
  const newCouponKey = keysBeside(recorded.coupons);
  const ofKeys = recorded.coupons.map(({ id, item }) => {
    // A product without a key is named by its id.
    const productKeys = item.productKeys?.map(product => keyOfProduct.get(product) ?? product).toSorted() ?? null;
    return { id, item: { ...item, productKeys } };
  });
  const coupons = proposed(
    ofKeys,
    ({ item }) => item.name,
    ({ item: { name, productKeys } }) => {
      const isSayable = name !== '' && (productKeys ?? []).every(product => productKeysNow.has(product));
      return isSayable ? newCouponKey(slug(name) || 'coupon') : null;
    },
  );
  return { ...recorded, products, prices, coupons };
}

interface Found {
  readonly item: { readonly key: string | null };
}

/** Gives keys to what has none, where no other without a key is the same. */
function proposed<Item extends Found>(
  all: readonly Item[],
  sameAs: (found: Item) => string,
  keyFor: (found: Item) => string | null,
): Item[] {
  const unkeyed = Map.groupBy(
    all.filter(({ item }) => item.key === null),
    sameAs,
  );
  return all.map(found => {
    const isOnly = found.item.key === null && unkeyed.get(sameAs(found))?.length === 1;
    return isOnly ? { ...found, item: { ...found.item, key: keyFor(found) } } : found;
  });
}

/** The longest key that is proposed before a number behind it. */
const MAX_LENGTH = 74;

/** Returns what makes a key of a text that none of these has, nor got before. */
function keysBeside(all: readonly Found[]) {
  const taken = new Set(all.map(({ item }) => item.key));
  return (wanted: string): string => {
    const short = wanted.slice(0, MAX_LENGTH);
    let key = short;
    for (let count = 2; taken.has(key); count += 1) key = `${short}_${count}`;
    taken.add(key);
    return key;
  };
}

/** Returns a name as a key: `Pro (Team)` is `pro_team`. */
const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');

type Price = RecordedCatalog['prices'][number]['item'];

const RHYTHMS = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const;

function rhythmOf({ interval, intervalCount }: Price): string {
  if (interval === null) return 'once';
  return (intervalCount ?? 1) === 1 ? RHYTHMS[interval] : `${intervalCount}_${interval}s`;
}

/** What an apply finds a price without a key by. */
const termsOf = ({ unitAmount, currency, currencyOptions, interval, intervalCount, meter, taxBehavior }: Price) => {
  const options = Object.entries(currencyOptions).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [unitAmount, currency, options, interval, intervalCount, meter, taxBehavior];
};
