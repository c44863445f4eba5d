import type { z } from 'zod';
import { PriceId } from '../ids.ts';
import { optional } from '../optional.ts';
import { catalogKey } from './catalog-key.ts';

/** What is said of a key in place of an id. */
export const BY_KEY = 'The newest active price with this key.';

/** How a body names a price: by our id or by its key. */
export const priceReference = {
  priceId: optional(PriceId.schema),
  priceKey: optional(catalogKey).describe(`Instead of \`priceId\`. ${BY_KEY}`),
};

interface Reference {
  readonly priceId?: PriceId | undefined;
  readonly priceKey?: string | undefined;
}

type Check<Value> = [check: (value: Value) => boolean, refusal: { path: string[]; message: string }];
const EITHER = 'Expected either `priceId` or `priceKey`.';

/** Refuses both an id and a key. */
export const atMostOne: Check<Reference> = [
  ({ priceId, priceKey }) => priceId === undefined || priceKey === undefined,
  { path: ['priceKey'], message: EITHER },
];

/** Requires an id or a key, and refuses both. */
export const exactlyOne: Check<Reference> = [
  ({ priceId, priceKey }) => (priceId === undefined) !== (priceKey === undefined),
  { path: ['priceId'], message: EITHER },
];

/** Refuses one price twice, by its id or by its key. */
export const noneTwice: Check<readonly Reference[]> = [
  items => new Set(items.map(it => it.priceId ?? `key ${it.priceKey}`)).size === items.length,
  { path: [], message: 'Contains a price twice.' },
];

/** An item of a list, with the id of its price. */
type WithId<Item> = Item extends unknown
  ? 'priceKey' extends keyof Item
    ? Item extends { readonly priceKey: string }
      ? never
      : Omit<Item, 'priceKey' | 'priceId'> & { readonly priceId: PriceId }
    : Item
  : never;
type AllWithIds<List> = List extends readonly unknown[]
  ? { readonly [Index in keyof List]: WithId<List[Index]> }
  : List;
type Lists<Body> = Pick<Body, Extract<keyof Body, 'items' | 'lines'>>;
type Given<Body> = 'fromPriceKey' extends keyof Body
  ? { readonly fromPriceId: PriceId; readonly toPriceId: PriceId }
  : unknown;
type Named<Body> = Omit<
  Body,
  'priceKey' | 'items' | 'lines' | ('fromPriceKey' extends keyof Body ? `${'from' | 'to'}Price${'Id' | 'Key'}` : never)
>;

/** A body whose prices are all named by ids. */
export type WithPriceIds<Body> = Named<Body> &
  Given<Body> & { [Name in keyof Lists<Body>]: AllWithIds<Lists<Body>[Name]> };

/** Returns the schema of a body for what is stored of it once its prices are named by ids. */
export const withPriceIds = <Schema extends z.ZodType>(schema: Schema) =>
  schema as unknown as z.ZodType<WithPriceIds<z.output<Schema>>>; // what has no keys
