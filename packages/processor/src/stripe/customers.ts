import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import type { PaymentMethodSnapshot, PaymentMethodsInUse, Processor } from '../port.ts';
import { readCustomer, readLiveCustomer } from '../snapshots/customer.ts';
import { given, listAll, write, type Calls } from './calls.ts';
import { findCreated, type Page } from './find-created.ts';

type Customers = Pick<
  Processor,
  | 'createCustomer'
  | 'findCustomer'
  | 'listCustomersByEmail'
  | 'updateCustomer'
  | 'findPaymentMethods'
  | 'createBalanceTransaction'
  | 'findCreatedBalanceTransaction'
>;

/** Customers, their balances, and what they are charged to. */
export function customerCalls({ stripe, call }: Calls): Customers {
  return {
    createCustomer: ({ email, name, metadata }, key) =>
      call(async () =>
        readLiveCustomer(
          await stripe.customers.create({ email, ...given({ name }), metadata: { ...metadata } }, write(key)),
        ),
      ),
    findCustomer: id => call(async () => readCustomer(await stripe.customers.retrieve(id))),
    listCustomersByEmail: email =>
      call(async () => (await stripe.customers.list({ email, limit: PAGE_SIZE })).data.map(readLiveCustomer)),
    updateCustomer: (id, { email, name, metadata, defaultPaymentMethodId }, key) =>
      call(async () => {
        const settings = defaultPaymentMethodId && {
          invoice_settings: { default_payment_method: defaultPaymentMethodId },
        };
        const changes = { ...given({ email, name, metadata: metadata && { ...metadata } }), ...settings };
        return readLiveCustomer(await stripe.customers.update(id, changes, write(key)));
      }),

    findPaymentMethods: id => call(() => findPaymentMethods(stripe, id)),

    createBalanceTransaction: (customerId, { amount, currency, description, metadata }, key) =>
      call(async () => {
        const transaction = { amount, currency, description, metadata: { ...metadata } };
        const { id } = await stripe.customers.createBalanceTransaction(customerId, transaction, write(key));
        return { id };
      }),
    findCreatedBalanceTransaction: async (customerId, created) => {
      const list = (page: Page) => call(() => stripe.customers.listBalanceTransactions(customerId, page));
      const found = await findCreated(created, list);
      return found && { id: found.id };
    },
  };
}

/**
 * An invoice of a subscription is charged to the subscription's default payment method or source, else to the customer's.
 * https://docs.stripe.com/api/subscriptions/object#subscription_object-default_payment_method
 */
async function findPaymentMethods(stripe: Stripe, customerId: string): Promise<PaymentMethodsInUse> {
  const expand = ['invoice_settings.default_payment_method', 'default_source'];
  const expandEach = ['data.default_payment_method', 'data.default_source'];
  const [customer, running] = await Promise.all([
    stripe.customers.retrieve(customerId, { expand }),
    // Without a status, the list has all subscriptions that are not canceled.
    listAll(stripe.subscriptions.list({ customer: customerId, limit: PAGE_SIZE, expand: expandEach })),
  ]);
  const own = running.flatMap(({ id, default_payment_method: method, default_source: source }) => {
    const described = describe(method) ?? describeSource(source);
    return described ? [[id, described] as const] : [];
  });
  const ofSubscriptions = new Map(own);
  if (customer.deleted) return { customerDefault: null, ofSubscriptions };
  const { default_payment_method: method } = customer.invoice_settings;
  return { customerDefault: describe(method) ?? describeSource(customer.default_source), ofSubscriptions };
}

/** Null without a payment method; the calls above expand it, so that it is no id. */
function describe(method: string | Stripe.PaymentMethod | null): PaymentMethodSnapshot | null {
  if (!method || typeof method === 'string') return null;
  const { id, type, card } = method;
  return { id, type, card: card ? cardOf(card) : null };
}

/** Sources came before payment methods, and are still charged where they are the default. */
function describeSource(source: string | Stripe.CustomerSource | null): PaymentMethodSnapshot | null {
  if (!source || typeof source === 'string') return null;
  if (source.object === 'card') return { id: source.id, type: 'card', card: cardOf(source) };
  return { id: source.id, type: source.object, card: null };
}

const cardOf = (card: { brand: string; last4: string; exp_month: number; exp_year: number }) => ({
  brand: card.brand,
  last4: card.last4,
  expMonth: card.exp_month,
  expYear: card.exp_year,
});
