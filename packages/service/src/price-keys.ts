import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { invalid, notFound } from '@billing/contracts/problem';
import type { WithPriceIds } from '@billing/contracts/resources/price-reference';

/** Finds the newest active prices of a project with these keys, by key. */
export type FindPricesByKey = (scope: ProjectScope, keys: readonly string[]) => Promise<ReadonlyMap<string, PriceId>>;

/** Returns the ids of prices by their keys. */
export const idsByKey = (
  prices: readonly { readonly id: PriceId; readonly key: string | null }[],
): ReadonlyMap<string, PriceId> => new Map(prices.flatMap(({ key, id }) => (key === null ? [] : [[key, id] as const])));

/** Fields that name prices by keys, and those that name them by ids. */
const ID_FIELDS: ReadonlyMap<string, string> = new Map([
  ['priceKey', 'priceId'],
  ['fromPriceKey', 'fromPriceId'],
  ['toPriceKey', 'toPriceId'],
  ['priceKeys', 'priceIds'],
]);
/** Parts of bodies in which such fields stand, too. */
const PARTS: ReadonlySet<string> = new Set(['items', 'lines', 'planSwitch']);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a function that names the prices of a body by ids, so that whoever handles it knows no keys.
 * @throws Problem 404 `price_not_found` for a key that no active price has; 400 for a price that stands twice in a list
 */
export const resolvePriceKeys =
  (find: FindPricesByKey) =>
  async <Body extends object>({ teamId, projectId }: ProjectScope, body: Body): Promise<WithPriceIds<Body>> => {
    const keys = [...new Set(keysIn(body))];
    const found = keys.length > 0 ? await find({ teamId, projectId }, keys) : new Map<string, PriceId>();
    const missing = keys.filter(key => !found.has(key));
    if (missing.length > 0) throw notFound('price', `No active price has the key: ${missing.join(', ')}.`);
    const named: Fields = withIds(body, found);
    const { items = [] } = named;
    const ids = Array.isArray(items) ? items.map((it: Fields) => it['priceId']) : [];
    if (new Set(ids).size < ids.length) throw invalid([{ path: 'items', message: 'Contains a price twice.' }]);
    return named as WithPriceIds<Body>; // every key is an id now
  };

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

function keysIn(body: object): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (ID_FIELDS.has(name)) return listOf(value).map(String);
    return PARTS.has(name) ? listOf(value).flatMap(part => keysIn(Object(part))) : [];
  });
}

function withIds(body: object, ids: ReadonlyMap<string, PriceId>): Fields {
  const entries = Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const field = ID_FIELDS.get(name);
    if (value === undefined || (field && listOf(value).length === 0)) return [];
    const change = (part: unknown) => (field ? ids.get(String(part)) : withIds(Object(part), ids));
    if (!field && !PARTS.has(name)) return [[name, value]];
    return [[field ?? name, Array.isArray(value) ? value.map(change) : change(value)]];
  });
  return Object.fromEntries(entries);
}
