import { BillingError } from '@billing/client';
import { newEmail, payOnHostedPage } from '../../system/tenant.ts';
import type { Buyer } from './history.ts';

/** The prices of a shop, ours and the processor's. */
export interface Price {
  readonly id: string;
  readonly processorPriceId: string;
}

/** One thing that happens to a buyer. `number` makes what it changes different from what the one before has left. */
type Deed = (buyer: Buyer, prices: readonly [Price, ...Price[]], number: number) => Promise<unknown>;

interface Subscription {
  readonly id: string;
  readonly items: { readonly data: readonly [{ readonly id: string }] };
}

const urls = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/' };

/** Everything that is told of, be it done by the tenant, by the buyer, by time, or at the processor's dashboard. */
export const DEEDS = {
  subscribe: (buyer, prices, number) => pay(buyer, priceAt(prices, number)),
  'start a trial': (buyer, prices, number) => pay(buyer, priceAt(prices, number), { trialDays: 7 }),
  renew: ofNewest(({ tenant }, { id }) => tenant.processor.renew(id)),
  'fail to renew': ofNewest(({ tenant }, { id }) => tenant.processor.renew(id, 'decline')),
  'pay what is open': ofNewest(({ tenant }, { id }) => tenant.processor.collect(id)),
  'give up unpaid': ofNewest(({ tenant }, { id }) => tenant.processor.giveUp(id, 'unpaid')),
  'end the trial': ofNewest(({ tenant }, { id }) => tenant.processor.endTrial(id)),
  pause: ofNewest(({ tenant }, { id }) => tenant.processor.pause(id)),
  resume: ofNewest(({ tenant }, { id }) => tenant.askProcessor(`/v1/subscriptions/${id}/resume`, {})),
  'schedule the end': changing(() => ({ cancel_at_period_end: 'true' })),
  'take the end back': changing(() => ({ cancel_at_period_end: 'false' })),
  'change the quantity': changing((number, { items }) => ({
    'items[0][id]': items.data[0].id,
    'items[0][quantity]': `${number + 2}`,
  })),
  'change the plan': (buyer, prices, number) =>
    changing((_, { items }) => ({
      'items[0][id]': items.data[0].id,
      'items[0][price]': priceAt(prices, number).processorPriceId,
    }))(buyer, prices, number),
  'note something': changing(number => ({ 'metadata[note]': `${number}` })),
  end: ofNewest(({ tenant }, { id }) => tenant.processor.end(id)),
  'void what is open': async ({ tenant, processorCustomerId }) => {
    const { data } = await tenant.askProcessor(`/v1/invoices?customer=${processorCustomerId}&status=open`);
    for (const { id } of data) await tenant.askProcessor(`/v1/invoices/${id}/void`, {});
  },
  'rename there': (buyer, _, number) => changeCustomer(buyer, { name: `Ada ${number}` }),
  'move there': buyer => changeCustomer(buyer, { email: newEmail() }),
  'note there': (buyer, _, number) => changeCustomer(buyer, { 'metadata[note]': `${number}` }),
  'rename here': ({ tenant, customerId }, _, number) =>
    tenant.billing.customers.update(customerId, { name: `Grace ${number}`, metadata: { here: `${number}` } }),
  'delete there': ({ tenant, processorCustomerId }) =>
    tenant.askProcessor(`/v1/customers/${processorCustomerId}`, {}, 'DELETE'),
  'delete here': ({ tenant, customerId }) => tenant.billing.customers.delete(customerId),
  wait: ({ tenant }, _, number) => tenant.processor.advanceClock(1 + (number % 3)),
} as const satisfies Record<string, Deed>;

export type DeedName = keyof typeof DEEDS;

/** Lets it happen, or nothing where things do not allow it: there is no subscription, the customer is gone. */
export async function attempt(deed: DeedName, ...args: Parameters<Deed>): Promise<void> {
  const doIt: Deed = DEEDS[deed];
  await doIt(...args).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}

/** The processor's refusals come through the API as 502 `processor_error`. */
function isRefusal(error: unknown): boolean {
  if (error instanceof BillingError) return error.status < 500 || error.code === 'processor_error';
  return error instanceof Error && /: 40[024] /.test(error.message);
}

const priceAt = (prices: readonly [Price, ...Price[]], number: number): Price =>
  prices[number % prices.length] ?? prices[0];

async function pay({ tenant, customerId }: Buyer, { id: priceId }: Price, terms: { trialDays?: number } = {}) {
  const { url } = await tenant.billing.checkout.create({ customerId, priceId, ...urls, ...terms });
  await payOnHostedPage(url);
}

/** Something that is done to the buyer's newest subscription that has not ended. */
function ofNewest(act: (buyer: Buyer, subscription: Subscription, number: number) => Promise<unknown>): Deed {
  return async (buyer, _, number) => {
    const { data } = await buyer.tenant.askProcessor(`/v1/subscriptions?customer=${buyer.processorCustomerId}`);
    const newest: Subscription | undefined = data[0];
    if (newest) await act(buyer, newest, number);
  };
}

function changing(change: (number: number, subscription: Subscription) => Record<string, string>): Deed {
  return ofNewest(({ tenant }, subscription, number) =>
    tenant.askProcessor(`/v1/subscriptions/${subscription.id}`, change(number, subscription)),
  );
}

const changeCustomer = ({ tenant, processorCustomerId }: Buyer, changes: Record<string, string>) =>
  tenant.askProcessor(`/v1/customers/${processorCustomerId}`, changes);
