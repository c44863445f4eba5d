import { randomBytes } from 'node:crypto';
import { ok } from '../http.ts';
import { byKey, is, type Prepared, type PrepareWrite } from './write.ts';

const newFeature = async ({ tenant: { api, P } }: Prepared): Promise<{ readonly id: string; readonly key: string }> => {
  const body = { key: `f${randomBytes(8).toString('hex')}`, name: 'Seats', type: 'limit' };
  return (await ok(api.post(`${P}/features`, body), 201)).feature;
};

/** The path of a new feature below each kind of resource that has features, and the id of the resource. */
const BELOW = {
  product: ({ productId: id }: Prepared['resources']) => ({ path: `products/${id}/features`, id }),
  price: ({ priceId: id }: Prepared['resources']) => ({ path: `prices/${id}/features`, id }),
  customer: ({ refereeCustomerId: id }: Prepared['resources']) => ({ path: `customers/${id}/grants`, id }),
} as const;

/** Sets a feature below a resource, or removes it when it is set. */
const write =
  (what: 'set' | 'remove', type: keyof typeof BELOW): PrepareWrite =>
  async prepared => {
    const { tenant, resources } = prepared;
    const { path, id } = BELOW[type](resources);
    const url = `${tenant.P}/${path}/${(await newFeature(prepared)).key}`;
    const set = () => tenant.api.put(url, { value: 5 });
    if (what === 'remove') await ok(set());
    return byKey(what === 'set' ? set : () => tenant.api.delete(url), is(type, id));
  };

/** How each write about features is made once. */
export const FEATURE_WRITES: Readonly<Record<string, PrepareWrite>> = {
  createFeature: ({ tenant: { api, P } }) =>
    byKey(
      () => api.post(`${P}/features`, { key: 'support', name: 'Support', type: 'value', values: ['basic'] }),
      body => ({ type: 'feature', id: body.feature.id }),
    ),
  updateFeature: async prepared => {
    const { api, P } = prepared.tenant;
    const { id, key } = await newFeature(prepared);
    return byKey(() => api.patch(`${P}/features/${key}`, { isActive: false }), is('feature', id));
  },
  setProductFeature: write('set', 'product'),
  removeProductFeature: write('remove', 'product'),
  setPriceFeature: write('set', 'price'),
  removePriceFeature: write('remove', 'price'),
  setGrant: write('set', 'customer'),
  removeGrant: write('remove', 'customer'),
};
