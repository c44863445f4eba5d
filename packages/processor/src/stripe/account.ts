import type { ProcessorObject } from '@billing/contracts/processor-events';
import type { Stripe } from 'stripe';
import { missingPermission, nullIfMissing } from '../errors.ts';
import { PAGE_SIZE } from '../page-size.ts';
import type { Processor } from '../port.ts';
import { API_VERSION } from '../stripe-client.ts';
import { given, inSeconds, write, type Calls } from './calls.ts';
import { completeLists } from './nested-lists.ts';

type Account = Pick<
  Processor,
  | 'findAccount'
  | 'readClock'
  | 'findMissingPermissions'
  | 'createWebhookEndpoint'
  | 'listWebhookEndpoints'
  | 'deleteWebhookEndpoint'
  | 'findObject'
  | 'completeLists'
  | 'listEvents'
>;

/** The account itself, its webhook endpoints, its events and their objects. */
export function accountCalls({ stripe, call }: Calls): Account {
  return {
    findAccount: () => call(async () => ({ accountId: (await stripe.accounts.retrieveCurrent()).id })),
    readClock: testClockId =>
      call(async () => {
        if (testClockId) {
          const { frozen_time: seconds } = await stripe.testHelpers.testClocks.retrieve(testClockId);
          return new Date(seconds * 1_000);
        }
        const { lastResponse } = await stripe.products.list({ limit: 1 });
        const date = Date.parse(lastResponse.headers['date'] ?? '');
        return Number.isNaN(date) ? null : new Date(date);
      }).catch(nullIfMissing),
    findMissingPermissions: async () => {
      const missing = PROBES.map(async probe => {
        try {
          await call(() => probe(stripe));
          return [];
        } catch (err) {
          const permission = missingPermission(err);
          if (permission === null) throw err;
          return [permission];
        }
      });
      return [...new Set((await Promise.all(missing)).flat())];
    },

    createWebhookEndpoint: ({ url, types, metadata }, key) =>
      call(async () => {
        const endpoint = { url, enabled_events: [...types], metadata: { ...metadata }, api_version: API_VERSION };
        const { id, secret } = await stripe.webhookEndpoints.create(endpoint, write(key));
        if (secret === undefined) throw new Error('The processor returned no secret of the new webhook endpoint.');
        return { id, secret };
      }),
    listWebhookEndpoints: () =>
      call(async () =>
        (await stripe.webhookEndpoints.list({ limit: PAGE_SIZE })).data.map(
          ({ id, url, status, enabled_events: types, api_version: apiVersion, metadata }) => {
            return { id, url, isEnabled: status === 'enabled', types, apiVersion, metadata };
          },
        ),
      ),
    deleteWebhookEndpoint: id => call(async () => void (await stripe.webhookEndpoints.del(id))),

    findObject: async (kind, id) => {
      const retrieve = RETRIEVE[kind];
      if (!retrieve) return null;
      return call(async () => ({ ...(await completeLists(stripe, await retrieve(stripe, id))) })).catch(nullIfMissing);
    },
    completeLists: object => call(() => completeLists(stripe, object)),

    listEvents: ({ undeliveredOnly = false, createdFrom, startingAfter }) =>
      call(async () => {
        const filter = {
          limit: PAGE_SIZE,
          ...(undeliveredOnly && { delivery_success: false }),
          ...(createdFrom && { created: { gte: inSeconds(createdFrom) } }),
          ...given({ starting_after: startingAfter }),
        };
        const { data, has_more: hasMore } = await stripe.events.list(filter);
        return { events: data.map(event => ({ ...event })), hasMore };
      }),
  };
}

/** One read of everything that is read. */
const PROBES: readonly ((stripe: Stripe) => Promise<unknown>)[] = [
  stripe => stripe.customers.list({ limit: 1 }),
  stripe => stripe.products.list({ limit: 1 }),
  stripe => stripe.prices.list({ limit: 1 }),
  stripe => stripe.coupons.list({ limit: 1 }),
  stripe => stripe.promotionCodes.list({ limit: 1 }),
  stripe => stripe.subscriptions.list({ limit: 1 }),
  stripe => stripe.invoices.list({ limit: 1 }),
  stripe => stripe.events.list({ limit: 1 }),
  stripe => stripe.charges.list({ limit: 1 }),
  stripe => stripe.paymentIntents.list({ limit: 1 }),
  stripe => stripe.setupIntents.list({ limit: 1 }),
  stripe => stripe.disputes.list({ limit: 1 }),
  stripe => stripe.checkout.sessions.list({ limit: 1 }),
  stripe => stripe.webhookEndpoints.list({ limit: 1 }),
];

/** How each kind of object is read; null for those that no call returns. */
const RETRIEVE: Readonly<Record<ProcessorObject, ((stripe: Stripe, id: string) => Promise<object>) | null>> = {
  'checkout.session': (stripe, id) => stripe.checkout.sessions.retrieve(id),
  subscription_schedule: (stripe, id) => stripe.subscriptionSchedules.retrieve(id),
  'test_helpers.test_clock': (stripe, id) => stripe.testHelpers.testClocks.retrieve(id),
  customer: (stripe, id) => stripe.customers.retrieve(id),
  'customer.discount': null,
  'customer.tax_id': null,
  'customer.subscription': (stripe, id) => stripe.subscriptions.retrieve(id),
  invoice: (stripe, id) => stripe.invoices.retrieve(id),
  invoice_payment: (stripe, id) => stripe.invoicePayments.retrieve(id),
  payment_intent: (stripe, id) => stripe.paymentIntents.retrieve(id),
  charge: (stripe, id) => stripe.charges.retrieve(id),
  'charge.dispute': (stripe, id) => stripe.disputes.retrieve(id),
  'charge.refund': (stripe, id) => stripe.refunds.retrieve(id),
  refund: (stripe, id) => stripe.refunds.retrieve(id),
  product: (stripe, id) => stripe.products.retrieve(id),
  price: (stripe, id) => stripe.prices.retrieve(id),
  coupon: (stripe, id) => stripe.coupons.retrieve(id),
  promotion_code: (stripe, id) => stripe.promotionCodes.retrieve(id),
};
