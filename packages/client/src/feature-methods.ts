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

/** The methods of `billing.productFeatures` and `billing.priceFeatures`: what each gives of features. */
export const giftMethods = (requests: Requests, giver: 'products' | 'prices') => {
  const pathOf = (id: string) => `/${giver}/${segment(id)}/features`;
  return {
    list: async (id: string, options?: CallOptions): Promise<readonly wire.ProductFeature[]> =>
      (await requests.get<{ productFeatures: wire.ProductFeature[] }>(pathOf(id), undefined, options)).productFeatures,
    get: async (id: string, key: string, options?: CallOptions): Promise<wire.ProductFeature> => {
      const path = `${pathOf(id)}/${segment(key)}`;
      return (await requests.get<{ productFeature: wire.ProductFeature }>(path, undefined, options)).productFeature;
    },
    /** Sets what it gives of a feature, instead of what it gave before; a price's value counts instead of its product's. */
    set: async (
      id: string,
      key: string,
      body: wire.ProductFeatureSet,
      options?: CallOptions,
    ): Promise<wire.ProductFeature> =>
      (await requests.put<{ productFeature: wire.ProductFeature }>(`${pathOf(id)}/${segment(key)}`, body, options))
        .productFeature,
    remove: (id: string, key: string, options?: CallOptions) =>
      requests.delete(`${pathOf(id)}/${segment(key)}`, options),
  };
};

/** The methods of `billing.grants`: features that single customers were given, whatever they have bought. */
export const grantMethods = (requests: Requests) => {
  const pathOf = (customerId: string) => `/customers/${segment(customerId)}/grants`;
  return {
    /** Lists what was given to a customer, also what has expired. */
    list: async (customerId: string, options?: CallOptions): Promise<readonly wire.Grant[]> =>
      (await requests.get<{ grants: wire.Grant[] }>(pathOf(customerId), undefined, options)).grants,
    get: async (customerId: string, key: string, options?: CallOptions): Promise<wire.Grant> =>
      (await requests.get<{ grant: wire.Grant }>(`${pathOf(customerId)}/${segment(key)}`, undefined, options)).grant,
    /** Gives a customer a feature, instead of what was given of it before. It never lowers what the customer has bought. */
    set: async (customerId: string, key: string, body: wire.GrantSet, options?: CallOptions): Promise<wire.Grant> =>
      (await requests.put<{ grant: wire.Grant }>(`${pathOf(customerId)}/${segment(key)}`, body, options)).grant,
    remove: (customerId: string, key: string, options?: CallOptions) =>
      requests.delete(`${pathOf(customerId)}/${segment(key)}`, options),
  };
};

/** Returns the path of a customer's state. */
export const statePath = (customer: CustomerRef): string =>
  typeof customer === 'string'
    ? `/customers/${segment(customer)}/state`
    : `/customers/external/${segment(customer.externalId)}/state`;

/** The methods of `billing.states`, each of which asks the service; `billing.entitlements` keeps what it was told. */
export const stateMethods = (requests: Requests) => ({
  /** Returns what a customer may use now, and how far it is paid. */
  get: async (customer: CustomerRef, query: StateQuery = {}, options?: CallOptions): Promise<wire.CustomerState> => {
    const { waitMs } = query;
    const request = { method: 'GET', path: statePath(customer), query, waitMs, options } as const;
    return (await requests.send<{ state: wire.CustomerState }>(request)).state;
  },
  /** Returns whether a customer may use one feature now. */
  access: (customer: CustomerRef, key: string, options?: CallOptions) =>
    requests.get<wire.FeatureAccess>(`${statePath(customer)}/${segment(key)}`, undefined, options),
});
