import { pick, type Action } from './action.ts';
import type { Buyer } from './history.ts';

interface CatalogObject {
  readonly id: string;
}

/** Products and prices that are created, change and are deleted at the Stripe dashboard. */
export const CATALOG_ACTIONS = {
  'create product at dashboard': ({ tenant }, _, number) =>
    tenant.callProcessor('/v1/products', {
      name: `Extra ${number}`,
      'metadata[teamId]': tenant.teamId,
      'metadata[projectId]': tenant.projectId,
    }),
  'create price at dashboard': ofAny('/v1/products', ({ tenant }, product, number) =>
    tenant.callProcessor('/v1/prices', { product, currency: 'usd', unit_amount: `${100 + number}` }),
  ),
  'change product at dashboard': ofAny('/v1/products', ({ tenant }, id, number) =>
    tenant.callProcessor(`/v1/products/${id}`, { name: `Pro ${number}`, 'metadata[note]': `${number}` }),
  ),
  'change price at dashboard': ofAny('/v1/prices', ({ tenant }, id, number) =>
    tenant.callProcessor(`/v1/prices/${id}`, {
      active: number % 2 === 0 ? 'true' : 'false',
      'metadata[note]': `${number}`,
    }),
  ),
  'delete price at dashboard': ofAny('/v1/prices', ({ tenant }, id) => tenant.processor.deletePrice(id)),
  'delete product at dashboard': ofAny('/v1/products', ({ tenant }, id) =>
    tenant.callProcessor(`/v1/products/${id}`, {}, 'DELETE'),
  ),
} as const satisfies Record<string, Action>;

/** Returns an action on one of the newest objects of a list at the processor. */
function ofAny(path: string, act: (buyer: Buyer, id: string, number: number) => Promise<unknown>): Action {
  return async (buyer, _, number) => {
    const { data } = await buyer.tenant.callProcessor(`${path}?limit=3`);
    const chosen = pick<CatalogObject>(data, number);
    if (chosen) await act(buyer, chosen.id, number);
  };
}
