import type { SyncType } from '@billing/contracts/resources/sync';
import type { Stripe } from 'stripe';
import { isMissing } from '../errors.ts';
import { PAGE_SIZE } from '../page-size.ts';
import type { ListedObject, MarkedType, Processor } from '../port.ts';
import { given, inSeconds, write, type Calls } from './calls.ts';
import { WHOLE_PRICE, WHOLE_PRICES } from './catalog.ts';
import { WHOLE_CODE, WHOLE_CODES, WHOLE_COUPON, WHOLE_COUPONS } from './discounts.ts';
import { completeEach, completeLists, WHOLE_CUSTOMER, WHOLE_CUSTOMERS } from './nested-lists.ts';

type ListedObjects = Pick<Processor, 'listObjects' | 'findListed' | 'addMetadata'>;
type Response = Stripe.Response<object>['lastResponse'];
type Page = { limit: number; starting_after?: string; created?: { gte: number } };

/** The objects of the account, type by type. */
export function listedObjectCalls({ stripe, call }: Calls): ListedObjects {
  return {
    listObjects: (type, startingAfter, createdFrom) =>
      call(async () => {
        const startedAt = performance.now();
        const created = createdFrom && { gte: inSeconds(createdFrom) };
        const wanted = { limit: PAGE_SIZE, ...given({ starting_after: startingAfter, created }) };
        const page = await LIST[type](stripe, wanted);
        const { data, has_more: hasMore, lastResponse } = page;
        const readAt = timeOfRead(lastResponse, startedAt);
        const objects = await completeEach(stripe, data);
        return { objects: objects.map(object => ({ ...object })), hasMore, readAt };
      }),
    findListed: (type, id) => {
      const startedAt = performance.now();
      return call(async () => {
        const { lastResponse, ...object } = await RETRIEVE[type](stripe, id);
        const readAt = timeOfRead(lastResponse, startedAt);
        return { object: await completeLists(stripe, object), readAt };
      }).catch((err: unknown) => {
        if (!isMissing(err)) throw err;
        return { object: null, readAt: timeOfRead(undefined, startedAt) };
      });
    },
    addMetadata: (type, id, metadata, key) =>
      call(async () => void (await ADD_METADATA[type](stripe, id, { ...metadata }, write(key)))),
  };
}

type Listed = Stripe.Response<Stripe.ApiList<ListedObject>>;

const LIST: Readonly<Record<SyncType, (stripe: Stripe, page: Page) => Promise<Listed>>> = {
  product: async (stripe, page) => plain(await stripe.products.list(page)),
  price: async (stripe, page) => plain(await stripe.prices.list({ ...page, ...WHOLE_PRICES })),
  coupon: async (stripe, page) => plain(await stripe.coupons.list({ ...page, ...WHOLE_COUPONS })),
  customer: async (stripe, page) => plain(await stripe.customers.list({ ...page, ...WHOLE_CUSTOMERS })),
  promotion_code: async (stripe, page) => plain(await stripe.promotionCodes.list({ ...page, ...WHOLE_CODES })),
  subscription: async (stripe, page) => plain(await stripe.subscriptions.list({ ...page, status: 'all' })),
  invoice: async (stripe, page) => plain(await stripe.invoices.list({ ...page, expand: ['data.payments'] })),
  payment: async (stripe, page) => plain(await stripe.charges.list(page)),
};

/** The library types each object as a class of its own, without an index. */
const plain = (page: Stripe.Response<Stripe.ApiList<{ id?: string }>>): Listed => page as unknown as Listed; // every listed object has an id

type Found = Stripe.Response<ListedObject>;

const RETRIEVE: Readonly<Record<SyncType, (stripe: Stripe, id: string) => Promise<Found>>> = {
  product: async (stripe, id) => found(await stripe.products.retrieve(id)),
  price: async (stripe, id) => found(await stripe.prices.retrieve(id, WHOLE_PRICE)),
  coupon: async (stripe, id) => found(await stripe.coupons.retrieve(id, WHOLE_COUPON)),
  customer: async (stripe, id) => found(await stripe.customers.retrieve(id, WHOLE_CUSTOMER)),
  promotion_code: async (stripe, id) => found(await stripe.promotionCodes.retrieve(id, WHOLE_CODE)),
  subscription: async (stripe, id) => found(await stripe.subscriptions.retrieve(id)),
  invoice: async (stripe, id) => found(await stripe.invoices.retrieve(id, { expand: ['payments'] })),
  payment: async (stripe, id) => found(await stripe.charges.retrieve(id)),
};

const found = (object: Stripe.Response<{ id?: string }>): Found => object as unknown as Found; // as above

type AddMetadata = (
  stripe: Stripe,
  id: string,
  metadata: Record<string, string>,
  options: { idempotencyKey: string },
) => Promise<unknown>;

const ADD_METADATA: Readonly<Record<MarkedType, AddMetadata>> = {
  product: (stripe, id, metadata, options) => stripe.products.update(id, { metadata }, options),
  price: (stripe, id, metadata, options) => stripe.prices.update(id, { metadata }, options),
  coupon: (stripe, id, metadata, options) => stripe.coupons.update(id, { metadata }, options),
  customer: (stripe, id, metadata, options) => stripe.customers.update(id, { metadata }, options),
  promotion_code: (stripe, id, metadata, options) => stripe.promotionCodes.update(id, { metadata }, options),
  subscription: (stripe, id, metadata, options) => stripe.subscriptions.update(id, { metadata }, options),
};

/**
 * When the processor read what it returned, by its own clock in whole seconds, rounded down: its `Date` less the time that
 * the call took. Our clock stands in for a missing `Date`.
 */
function timeOfRead(response: Response | undefined, startedAt: number): Date {
  const date = Date.parse(response?.headers['date'] ?? '');
  const elapsedMs = performance.now() - startedAt;
  return new Date(Math.floor(((Number.isNaN(date) ? Date.now() : date) - elapsedMs) / 1_000) * 1_000);
}
