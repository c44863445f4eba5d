import { waitFor } from '@billing/testing/wait-for';
import { ok } from '../../system/http.ts';
import { newEmail, payOnHostedPage } from '../../system/tenant.ts';
import { billedCustomer } from '../syncs/account.ts';
import { PLAN_ACTIONS } from './plan-actions.ts';
import {
  allowed,
  atProcessor,
  byApi,
  holdOnly,
  NothingThere,
  ofSubscription,
  pick,
  pickThere,
  type Action,
} from './targets.ts';
import type { World } from './world.ts';

const URLS = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };
const MONTHLY = { unitAmount: 2_999, currency: 'usd', interval: 'month' };

const newCustomer = ({ api, P }: World, n: number) =>
  allowed(api.post(`${P}/customers`, { email: newEmail(), name: 'Ada', externalId: `x${n}`, metadata: { n: `${n}` } }));

async function newPrice({ api, P }: World) {
  const { body } = await allowed(api.post(`${P}/products`, { name: 'Pro' }));
  return allowed(api.post(`${P}/prices`, { productId: body.product.id, ...MONTHLY }));
}

/** A hosted checkout, which the customer pays or not. */
async function subscribe(
  world: World,
  n: number,
  { action = 'pay', trialDays }: { action?: 'pay' | 'decline'; trialDays?: number } = {},
) {
  const { api, P } = world;
  const customer = await pick(world, 'customer', n);
  const price = await pick(world, 'price', n, { isActive: true });
  const { body } = await allowed(
    api.post(`${P}/checkout`, { customerId: customer.id, priceId: price.id, trialDays, ...URLS }),
  );
  if (body.url) await payOnHostedPage(body.url, action);
}

/** A product gives seats, and a customer has some by hand. */
async function giveSeats(world: World, n: number): Promise<void> {
  const { api, P } = world;
  await allowed(api.post(`${P}/features`, { key: 'seats', name: 'Seats', type: 'limit' }));
  const product = await pick(world, 'product', n);
  await allowed(api.put(`${P}/products/${product.id}/features/seats`, { value: 3 + (n % 3) }));
  const customer = await pick(world, 'customer', n);
  await allowed(api.put(`${P}/customers/${customer.id}/grants/seats`, { value: 5, expiresAt: null }));
}

/** A customer refers a new one. */
async function refer(world: World): Promise<void> {
  const { api, P } = world;
  const config = { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 };
  await allowed(api.put(`${P}/referrals/config`, config));
  const { body } = await allowed(
    api.post(`${P}/referrals/codes`, { customerId: (await pick(world, 'customer', 0)).id }),
  );
  await newCustomer(world, Date.now() % 1_000_000);
  const refereeCustomerId = (await pick(world, 'customer', 0)).id;
  if (body.code) await allowed(api.post(`${P}/referrals/apply`, { code: body.code.code, refereeCustomerId }));
}

const ACTIONS = {
  newCustomer,
  changeCustomer: byApi('customer', 'patch', n => ({ name: `Ada ${n % 3}`, metadata: { n: `${n % 2}` } })),
  changeCustomerToNothing: byApi('customer', 'patch', () => ({ externalId: null })),
  changeEmail: byApi('customer', 'patch', () => ({ email: newEmail() })),
  deleteCustomer: byApi('customer', 'delete'),
  newPrice,
  giveSeats,
  stopGiving: async (world, n) => {
    const { api, P } = world;
    if (n % 2 === 0) await allowed(api.patch(`${P}/features/seats`, { isActive: n % 4 === 0 }));
    else await allowed(api.delete(`${P}/customers/${(await pick(world, 'customer', n)).id}/grants/seats`));
  },
  renameProduct: byApi('product', 'patch', n => ({ name: `Pro ${n % 2}`, description: 'All' })),
  deleteProduct: byApi('product', 'delete'),
  archivePrice: byApi('price', 'patch', n => ({ isActive: n % 2 === 1 })),
  deletePrice: byApi('price', 'delete'),
  subscribe: (world, n) => subscribe(world, n),
  subscribeOnTrial: (world, n) => subscribe(world, n, { trialDays: 2 }),
  failToSubscribe: (world, n) => subscribe(world, n, { action: 'decline' }),
  cancelAtEnd: byApi('subscription', 'patch', n => ({ cancelAtPeriodEnd: n % 2 === 0 })),
  cancelNow: byApi('subscription', 'delete'),
  ...PLAN_ACTIONS,
  voidInvoice: byApi('invoice', 'post', undefined, '/void'),
  giveInvoiceUp: byApi('invoice', 'post', undefined, '/mark-uncollectible'),
  refund: byApi('payment', 'post', n => (n % 2 === 0 ? { amount: 100 } : {}), '/refund'),
  refer,
  deactivateCode: byApi('referral_code', 'delete'),
  retryCredit: byApi('referral_credit', 'post', undefined, '/retry'),
  refuseNextCredit: ({ tenant }) =>
    tenant.processor.fail({ path: '/v1/customers/', method: 'POST', mode: '400', times: 1 }),

  renameCustomerThere: atProcessor('customers', n => ({ name: `There ${n % 3}` })),
  moveEmailThere: async (world, n) => {
    const { email } = await pick(world, 'customer', n);
    const other = await pickThere(world, 'customers', n + 1);
    if (typeof email === 'string') await world.tenant.callProcessor(`/v1/customers/${other}`, { email });
  },
  deleteCustomerThere: atProcessor('customers'),
  renameProductThere: atProcessor('products', n => ({ name: `There ${n % 3}` })),
  archivePriceThere: atProcessor('prices', n => ({ active: String(n % 2 === 1) })),
  deleteProductThere: atProcessor('products'),
  deletePriceThere: async (world, n) => world.tenant.processor.deletePrice(await pickThere(world, 'prices', n)),
  cancelThere: atProcessor('subscriptions'),
  refundThere: async (world, n) =>
    world.tenant.callProcessor('/v1/refunds', { charge: await pickThere(world, 'charges', n), amount: '200' }),
  renew: ofSubscription((processor, id) => processor.renew(id)),
  failToRenew: ofSubscription((processor, id) => processor.renew(id, 'decline')),
  collect: ofSubscription((processor, id) => processor.collect(id)),
  giveUp: ofSubscription((processor, id) => processor.giveUp(id, 'unpaid')),
  end: ofSubscription((processor, id) => processor.end(id)),
  endTrial: ofSubscription((processor, id) => processor.endTrial(id)),
  pause: ofSubscription((processor, id) => processor.pause(id)),
  dispute: async (world, n) => world.tenant.processor.openDispute(await pickThere(world, 'charges', n)),
  winDispute: async (world, n) => world.tenant.processor.closeDispute(await pickThere(world, 'disputes', n), 'won'),
  loseDispute: async (world, n) => world.tenant.processor.closeDispute(await pickThere(world, 'disputes', n), 'lost'),
  newAccountThere: async (world, n) => {
    const product = await world.tenant.callProcessor('/v1/products', { name: `Old ${n}` });
    const price = await world.tenant.callProcessor('/v1/prices', {
      product: product.id,
      currency: 'usd',
      unit_amount: '1500',
      'recurring[interval]': 'month',
    });
    await billedCustomer(world.tenant, newEmail(), price.id);
  },
  linkCustomer: async (world, n) => {
    const all = (await world.fromProcessor('customers')) as { id: string; email: string | null; metadata: object }[];
    const unknown = all.filter(({ email, metadata }) => email && !('projectId' in metadata));
    const email = unknown[n % unknown.length]?.email;
    if (email) await allowed(world.api.post(`${world.P}/customers`, { email, name: 'Grace' }));
  },
  cancelInPortal: async (world, n) => {
    const { id, customerId } = await pick(world, 'subscription', n);
    const { body } = await allowed(world.api.post(`${world.P}/portal`, { customerId }));
    const change = { cancelAtPeriodEnd: n % 2 === 0 };
    if (body.token) await allowed(world.customer.patch(`/api/portal/${body.token}/subscriptions/${id}`, change));
  },
  addGoneEndpoint: ({ api, P, goneUrl }) => allowed(api.post(`${P}/webhook-endpoints`, { url: goneUrl })),

  sync: async ({ api, P, tenant }) => {
    const { body } = await allowed(tenant.user.post(`${P}/syncs`, { mode: 'apply' }));
    const ended = async () => (await ok(api.get(`${P}/syncs/${body.sync?.id}`))).sync.status === 'completed';
    if (body.sync) await waitFor(ended, { what: 'the sync to end' });
  },
  hold: ({ tenant }) => tenant.processor.setDeliveryRules({ hold: true, types: null }),
  holdCharges: holdOnly(['charge.succeeded', 'charge.updated', 'invoice_payment.paid']),
  holdSubscriptions: holdOnly([
    'customer.subscription.created',
    'customer.subscription.updated',
    'checkout.session.completed',
  ]),
  deliverTwiceShuffled: ({ tenant }, n) =>
    tenant.processor.setDeliveryRules({ copies: 1 + (n % 2), shuffle: { seed: n, windowMs: 300 } }),
  release: async ({ tenant }, n) => {
    await tenant.processor.setDeliveryRules({ hold: false, types: null });
    await tenant.processor.release({ seed: n });
  },
  resendAll: ({ tenant }, n) => tenant.processor.resendAll({ seed: n }),
  settle: world => world.settle(),
  look: world => world.look(),
} as const satisfies Readonly<Record<string, Action>>;
export type ActionName = keyof typeof ACTIONS;
export const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[]; // its own keys

/** Does several things at once. */
export const actAtOnce = (world: World, steps: readonly (readonly [ActionName, number])[]): Promise<unknown> =>
  Promise.all(steps.map(([name, n]) => act(world, name, n)));

/** Does one thing; what the processor refuses, and what nobody can do yet, is left. */
export async function act(world: World, name: ActionName, n: number): Promise<void> {
  try {
    await ACTIONS[name](world, n);
  } catch (err) {
    const isRefused =
      err instanceof Error && /The processor rejected .*: 4\d\d|_control.* failed: 4\d\d/s.test(err.message);
    if (!isRefused && !(err instanceof NothingThere)) throw err;
  }
}

/** Asks for what is there already. */
export async function changeNothing(world: World): Promise<void> {
  const { api, P, list } = world;
  const patch = (path: string, body: object) => allowed(api.patch(`${P}/${path}`, body));
  for (const { id, name } of await list('customer')) if (name) await patch(`customers/${String(id)}`, { name });
  for (const { id, name, metadata } of await list('product')) await patch(`products/${String(id)}`, { name, metadata });
  for (const { id, isActive } of await list('price')) await patch(`prices/${String(id)}`, { isActive });
  for (const { code, isActive } of await list('referral_code'))
    if (isActive === false) await allowed(api.delete(`${P}/referrals/codes/${String(code)}`));
  for (const { id, cancelAtPeriodEnd } of await list('subscription'))
    if (cancelAtPeriodEnd === false) await patch(`subscriptions/${String(id)}`, { cancelAtPeriodEnd });
}
