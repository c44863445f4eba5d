import { newEmail } from '../../system/tenant.ts';
import { pick, type Action } from './action.ts';
import { CUSTOMER_ACTIONS } from './customer-actions.ts';
import { PAYMENT_ACTIONS } from './payment-actions.ts';
import { subscribeAtDashboard, SUBSCRIPTION_ACTIONS } from './subscription-actions.ts';

/** Written into the description of a customer at Stripe. */
const STRANGER = 'of another product';

/** What another product does that shares the tenant's Stripe account: nothing of it may be seen. */
export const STRANGER_ACTIONS = {
  'another product: subscribe': async ({ tenant }) => {
    const { callProcessor } = tenant;
    const { id: product } = await callProcessor('/v1/products', { name: 'Other' });
    const terms = { product, currency: 'usd', unit_amount: '1700', 'recurring[interval]': 'month' };
    const { id: price } = await callProcessor('/v1/prices', terms);
    const { id: customer } = await callProcessor('/v1/customers', { email: newEmail(), description: STRANGER });
    await subscribeAtDashboard({ tenant, processorCustomerId: customer }, { 'items[0][price]': price });
  },
  'another product: renew': byStranger(SUBSCRIPTION_ACTIONS.renew),
  'another product: fail to renew': byStranger(SUBSCRIPTION_ACTIONS['fail to renew']),
  'another product: refund': byStranger(PAYMENT_ACTIONS['refund payment']),
  'another product: dispute': byStranger(PAYMENT_ACTIONS['dispute payment']),
  'another product: change customer': byStranger(CUSTOMER_ACTIONS['change customer metadata at processor']),
  'another product: delete customer': byStranger(CUSTOMER_ACTIONS['delete customer at processor']),
} as const satisfies Record<string, Action>;

/** Returns an action on a customer of the other product. */
function byStranger(action: Action): Action {
  return async (buyer, prices, number) => {
    const { data } = await buyer.tenant.callProcessor('/v1/customers?limit=100');
    const strangers = data.filter(({ description }: { description: string | null }) => description === STRANGER);
    const stranger = pick<{ readonly id: string }>(strangers, number);
    if (stranger) await action({ ...buyer, processorCustomerId: stranger.id }, prices, number);
  };
}
