import type { CallOptions, WriteOptions } from './options.ts';
import type { PageOptions } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** A customer: by id, or by your own id of it, unless that contains one of `/`, `\`, `;`, `%`, `#` and `?`, which no path takes. */
export type CustomerRef = string | { readonly externalId: string };

/** Which part of a state to read, and a checkout to wait for. */
export interface StateQuery {
  /** Only entitlements to these features. */
  readonly features?: readonly string[] | undefined;
  /** A checkout of the customer (`cs_…`), whose outcome the state then includes. */
  readonly checkoutSession?: string | undefined;
  /** How long to wait until that checkout is complete, in milliseconds: up to 10,000, 0 by default. */
  readonly waitMs?: number | undefined;
}

/** The methods of `billing.features`. */
export const featureMethods = (requests: Requests) => ({
  /** Defines a feature. Its key, type, values and merge can't be changed. */
  create: async (body: wire.FeatureCreate, options?: WriteOptions): Promise<wire.Feature> =>
    (await requests.post<{ feature: wire.Feature }>('/features', body, options)).feature,
  list: (page?: PageOptions, options?: CallOptions) =>
    requests.list<wire.Feature>('/features', 'features', page, options),
  get: async (key: string, options?: CallOptions): Promise<wire.Feature> =>
    (await requests.get<{ feature: wire.Feature }>(`/features/${segment(key)}`, undefined, options)).feature,
  /** Renames a feature, or changes whether it grants anything. */
  update: async (key: string, body: wire.FeatureUpdate, options?: CallOptions): Promise<wire.Feature> =>
    (await requests.patch<{ feature: wire.Feature }>(`/features/${segment(key)}`, body, options)).feature,
  /** Lists what products and prices give: of one feature with `featureKey`, of a product and its prices with `productId`. */
  listGiven: (filters?: wire.GivenFeatureFilters, options?: CallOptions) =>
    requests.list<wire.ProductFeature>('/product-features', 'productFeatures', filters, options),
});

/** What is set by the key of a feature, by the name that responses give it. */
interface Keyed {
  readonly productFeature: { readonly item: wire.ProductFeature; readonly set: wire.ProductFeatureSet };
  readonly grant: { readonly item: wire.Grant; readonly set: wire.GrantSet };
}

/** Methods for what a product, a price or a customer has of features. */
function keyedMethods<Name extends keyof Keyed>(requests: Requests, name: Name, pathOf: (ownerId: string) => string) {
  type Item = Keyed[Name]['item'];
  const pathOfOne = (ownerId: string, key: string) => `${pathOf(ownerId)}/${segment(key)}`;
  return {
    /** Lists all, grants also when they have expired. */
    list: async (ownerId: string, options?: CallOptions): Promise<readonly Item[]> =>
      (await requests.get<Record<`${Name}s`, readonly Item[]>>(pathOf(ownerId), undefined, options))[`${name}s`],
    get: async (ownerId: string, key: string, options?: CallOptions): Promise<Item> =>
      (await requests.get<Record<Name, Item>>(pathOfOne(ownerId, key), undefined, options))[name],
    /** Sets the value of a feature, instead of the one before. */
    set: async (ownerId: string, key: string, body: Keyed[Name]['set'], options?: CallOptions): Promise<Item> =>
      (await requests.put<Record<Name, Item>>(pathOfOne(ownerId, key), body, options))[name],
    remove: (ownerId: string, key: string, options?: CallOptions) => requests.delete(pathOfOne(ownerId, key), options),
  };
}

/** The methods of `billing.productFeatures` and `billing.priceFeatures`; a price's value counts instead of its product's. */
export const productFeatureMethods = (requests: Requests, owners: 'products' | 'prices') =>
  keyedMethods(requests, 'productFeature', ownerId => `/${owners}/${segment(ownerId)}/features`);

/** The methods of `billing.grants`. A grant never lowers what the customer has bought. */
export const grantMethods = (requests: Requests) =>
  keyedMethods(requests, 'grant', ownerId => `/customers/${segment(ownerId)}/grants`);

/** Returns the path of a customer's state. */
export const statePath = (customer: CustomerRef): string =>
  typeof customer === 'string'
    ? `/customers/${segment(customer)}/state`
    : `/customers/external/${segment(customer.externalId)}/state`;

/** The methods of `billing.states`, each of which sends a request; `billing.entitlements` keeps what it read. */
export const stateMethods = (requests: Requests) => ({
  /** Returns what a customer may use now, and how far it is paid. */
  get: async (customer: CustomerRef, query: StateQuery = {}, options?: CallOptions): Promise<wire.CustomerState> => {
    const { waitMs } = query;
    const request = { method: 'GET', path: statePath(customer), query, waitMs, options } as const;
    return (await requests.send<{ state: wire.CustomerState }>(request)).state;
  },
  /** Returns whether a customer may use one feature now. */
  check: (customer: CustomerRef, key: string, options?: CallOptions) =>
    requests.get<wire.FeatureCheck>(`${statePath(customer)}/${segment(key)}`, undefined, options),
});
