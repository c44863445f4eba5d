import { BillingError } from '@billing/client';
import { newEmail, payOnHostedPage } from '../../system/tenant.ts';
import type { Buyer } from './history.ts';

/** A price, with our id and the Stripe id. */
export interface Price {
  readonly id: string;
  readonly processorPriceId: string;
}

/** An action on a buyer. `number` varies the values it writes, so that each action changes something. */
type Action = (buyer: Buyer, prices: readonly [Price, ...Price[]], number: number) => Promise<unknown>;

interface Subscription {
  readonly id: string;
  readonly items: { readonly data: readonly [{ readonly id: string }] };
}

const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

/** Every action that creates Stripe events: of the tenant, of the buyer, of time, and at the Stripe dashboard. */
export const ACTIONS = {
  subscribe: (buyer, prices, number) => pay(buyer, priceAt(prices, number)),
  'start a trial': (buyer, prices, number) => pay(buyer, priceAt(prices, number), { trialDays: 7 }),
  renew: ofNewest(({ tenant }, { id }) => tenant.processor.renew(id)),
  'fail to renew': ofNewest(({ tenant }, { id }) => tenant.processor.renew(id, 'decline')),
  'pay open invoice': ofNewest(({ tenant }, { id }) => tenant.processor.collect(id)),
  'stop retrying payment': ofNewest(({ tenant }, { id }) => tenant.processor.giveUp(id, 'unpaid')),
  'end trial': ofNewest(({ tenant }, { id }) => tenant.processor.endTrial(id)),
  pause: ofNewest(({ tenant }, { id }) => tenant.processor.pause(id)),
  resume: ofNewest(({ tenant }, { id }) => tenant.callProcessor(`/v1/subscriptions/${id}/resume`, {})),
  'schedule cancellation': changing(() => ({ cancel_at_period_end: 'true' })),
  'revoke cancellation': changing(() => ({ cancel_at_period_end: 'false' })),
  'change quantity': changing((number, { items }) => ({
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': `${number + 2}`,
  })),
  'change plan': (buyer, prices, number) =>
    changing((_, { items }) => ({
      'items[0][id]': items.data[0].id,
      'items[0][price]': priceAt(prices, number).processorPriceId,
    }))(buyer, prices, number),
  'change metadata': changing(number => ({ 'metadata[note]': `${number}` })),
  'end subscription': ofNewest(({ tenant }, { id }) => tenant.processor.end(id)),
  'void open invoices': async ({ tenant, processorCustomerId }) => {
    const { data } = await tenant.callProcessor(`/v1/invoices?customer=${processorCustomerId}&status=open`);
    for (const { id } of data) await tenant.callProcessor(`/v1/invoices/${id}/void`, {});
  },
  'rename customer at processor': (buyer, _, number) => changeCustomer(buyer, { name: `Ada ${number}` }),
  'change e-mail at processor': buyer => changeCustomer(buyer, { email: newEmail() }),
  'change customer metadata at processor': (buyer, _, number) =>
    changeCustomer(buyer, { 'metadata[note]': `${number}` }),
  'rename customer': ({ tenant, customerId }, _, number) =>
    tenant.billing.customers.update(customerId, { name: `Grace ${number}`, metadata: { note: `${number}` } }),
  'delete customer at processor': ({ tenant, processorCustomerId }) =>
    tenant.callProcessor(`/v1/customers/${processorCustomerId}`, {}, 'DELETE'),
  'delete customer': ({ tenant, customerId }) => tenant.billing.customers.delete(customerId),
  'advance clock': ({ tenant }, _, number) => tenant.processor.advanceClock(1 + (number % 3)),
} as const satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

/** Runs an action. An action that the current state does not allow is skipped, such as renewing without a subscription. */
export async function attempt(name: ActionName, ...args: Parameters<Action>): Promise<void> {
  const action: Action = ACTIONS[name];
  await action(...args).catch((error: unknown) => {
    if (!isRejection(error)) throw error;
  });
}

/** The API reports a request that the processor rejects as 502 `processor_error`. */
function isRejection(error: unknown): boolean {
  if (error instanceof BillingError) return error.status < 500 || error.code === 'processor_error';
  return error instanceof Error && /: 40[024] /.test(error.message);
}

const priceAt = (prices: readonly [Price, ...Price[]], number: number): Price =>
  prices[number % prices.length] ?? prices[0];

async function pay({ tenant, customerId }: Buyer, { id: priceId }: Price, terms: { trialDays?: number } = {}) {
  const { url } = await tenant.billing.checkout.create({ customerId, priceId, ...urls, ...terms });
  await payOnHostedPage(url);
}

/** Returns an action on the buyer's newest subscription that has not ended. */
function ofNewest(act: (buyer: Buyer, subscription: Subscription, number: number) => Promise<unknown>): Action {
  return async (buyer, _, number) => {
    const { data } = await buyer.tenant.callProcessor(`/v1/subscriptions?customer=${buyer.processorCustomerId}`);
    const newest: Subscription | undefined = data[0];
    if (newest) await act(buyer, newest, number);
  };
}

function changing(change: (number: number, subscription: Subscription) => Record<string, string>): Action {
  return ofNewest(({ tenant }, subscription, number) =>
    tenant.callProcessor(`/v1/subscriptions/${subscription.id}`, change(number, subscription)),
  );
}

const changeCustomer = ({ tenant, processorCustomerId }: Buyer, changes: Record<string, string>) =>
  tenant.callProcessor(`/v1/customers/${processorCustomerId}`, changes);
