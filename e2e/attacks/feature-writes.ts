import { randomBytes } from 'node:crypto';
import { ok } from '../system/http.ts';
import { byKey, is, type Prepared, type PrepareWrite } from './write.ts';

/** Paths of what gives a feature, and which resource the write is about. */
const GIVERS = {
  product: ({ resources: { productId: id } }: Prepared) => ({ path: `products/${id}/features`, id }),
  price: ({ resources: { priceId: id } }: Prepared) => ({ path: `prices/${id}/features`, id }),
  customer: ({ resources: { refereeCustomerId: id } }: Prepared) => ({ path: `customers/${id}/grants`, id }),
} as const;

const newFeature = async ({ tenant: { api, P } }: Prepared): Promise<{ readonly id: string; readonly key: string }> => {
  const body = { key: `f${randomBytes(8).toString('hex')}`, name: 'Seats', type: 'limit' };
  return (await ok(api.post(`${P}/features`, body), 201)).feature;
};

const setting =
  (type: keyof typeof GIVERS): PrepareWrite =>
  async prepared => {
    const { api, P } = prepared.tenant;
    const [{ path, id }, { key }] = [GIVERS[type](prepared), await newFeature(prepared)];
    return byKey(() => api.put(`${P}/${path}/${key}`, { value: 5 }), is(type, id));
  };

const removal =
  (type: keyof typeof GIVERS): PrepareWrite =>
  async prepared => {
    const { api, P } = prepared.tenant;
    const [{ path, id }, { key }] = [GIVERS[type](prepared), await newFeature(prepared)];
    await ok(api.put(`${P}/${path}/${key}`, { value: 5 }));
    return byKey(() => api.delete(`${P}/${path}/${key}`), is(type, id));
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
  setProductFeature: setting('product'),
  removeProductFeature: removal('product'),
  setPriceFeature: setting('price'),
  removePriceFeature: removal('price'),
  setGrant: setting('customer'),
  removeGrant: removal('customer'),
};
