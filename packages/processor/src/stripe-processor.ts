import type { Stripe } from 'stripe';
import { createBulkhead, type Bulkhead } from './bulkhead.ts';
import { toProblem } from './errors.ts';
import type { NewCheckoutSession, NewSetupSession, PaymentMethodSnapshot, Processor } from './port.ts';
import { withRetries } from './retries.ts';
import { readPrice, readProduct } from './snapshots/catalog.ts';
import { readCheckoutSession } from './snapshots/checkout-session.ts';
import { readCustomer, readLiveCustomer } from './snapshots/customer.ts';
import { readInvoice } from './snapshots/invoice.ts';
import { readSubscription } from './snapshots/subscription.ts';
import { stripeClient } from './stripe-client.ts';

/** The largest page of the processor's lists. */
const PAGE = 100;
/** Concurrent calls of one team in a process. */
const MAX_IN_FLIGHT = 32;

/** Implements the port with Stripe's library. `baseUrl` replaces Stripe's address. */
export function stripeProcessor(secretKey: string, baseUrl?: string): Processor {
  const stripe = stripeClient(secretKey, baseUrl);
  const call = callsOf(createBulkhead(MAX_IN_FLIGHT));
  const write = (idempotencyKey: string) => ({ idempotencyKey });

  return {
    findAccount: () => call(async () => ({ accountId: (await stripe.accounts.retrieveCurrent()).id })),

    createCustomer: ({ email, name, metadata }, key) =>
      call(async () =>
        readLiveCustomer(
          await stripe.customers.create({ email, ...given({ name }), metadata: { ...metadata } }, write(key)),
        ),
      ),
    findCustomer: id => call(async () => readCustomer(await stripe.customers.retrieve(id))),
    listCustomersByEmail: email =>
      call(async () => (await stripe.customers.list({ email, limit: PAGE })).data.map(readLiveCustomer)),
    updateCustomer: (id, { email, name, metadata, defaultPaymentMethodId }, key) =>
      call(async () => {
        const settings = defaultPaymentMethodId && {
          invoice_settings: { default_payment_method: defaultPaymentMethodId },
        };
        const changes = { ...given({ email, name, metadata: metadata && { ...metadata } }), ...settings };
        return readLiveCustomer(await stripe.customers.update(id, changes, write(key)));
      }),

    createProduct: ({ name, description, metadata }, key) =>
      call(async () =>
        readProduct(
          await stripe.products.create({ name, ...given({ description }), metadata: { ...metadata } }, write(key)),
        ),
      ),
    findProduct: id => call(async () => readProduct(await stripe.products.retrieve(id))),
    updateProduct: (id, { name, description, isActive, defaultPriceId, metadata }, key) =>
      call(async () => {
        const settings = { active: isActive, default_price: defaultPriceId, metadata: metadata && { ...metadata } };
        const changes = given({ name, description, ...settings });
        return readProduct(await stripe.products.update(id, changes, write(key)));
      }),

    createPrice: ({ productId, unitAmount, currency, recurring, metadata }, key) =>
      call(async () => {
        const interval = recurring && {
          recurring: { interval: recurring.interval, interval_count: recurring.intervalCount },
        };
        const price = { product: productId, unit_amount: unitAmount, currency, ...interval, metadata: { ...metadata } };
        return readPrice(await stripe.prices.create(price, write(key)));
      }),
    findPrice: id => call(async () => readPrice(await stripe.prices.retrieve(id))),
    updatePrice: (id, { isActive, metadata }, key) =>
      call(async () => {
        const changes = given({ active: isActive, metadata: metadata && { ...metadata } });
        return readPrice(await stripe.prices.update(id, changes, write(key)));
      }),

    createCheckoutSession: (session, key) =>
      call(async () => readCheckoutSession(await stripe.checkout.sessions.create(checkoutParams(session), write(key)))),
    createSetupSession: (session, key) =>
      call(async () => readCheckoutSession(await stripe.checkout.sessions.create(setupParams(session), write(key)))),
    findCheckoutSession: id => call(async () => readCheckoutSession(await stripe.checkout.sessions.retrieve(id))),
    findSavedPaymentMethod: id =>
      call(async () => ({ paymentMethodId: idOf((await stripe.setupIntents.retrieve(id)).payment_method) })),

    findSubscription: id => call(async () => readSubscription(await stripe.subscriptions.retrieve(id))),
    listSubscriptions: customer =>
      call(async () =>
        (await stripe.subscriptions.list({ customer, status: 'all', limit: PAGE })).data.map(readSubscription),
      ),
    setCancelAtPeriodEnd: (id, cancelAtPeriodEnd, key) =>
      call(async () => {
        if (cancelAtPeriodEnd)
          return readSubscription(await stripe.subscriptions.update(id, { cancel_at_period_end: true }, write(key)));
        const current = await stripe.subscriptions.retrieve(id);
        // The two fields may not be sent together; each is cleared under an idempotency key of its own.
        const byPeriod = current.cancel_at_period_end;
        const changes = byPeriod ? { cancel_at_period_end: false } : { cancel_at: '' as const };
        const ownKey = `${key}:${byPeriod ? 'period' : 'time'}`;
        return readSubscription(await stripe.subscriptions.update(id, changes, write(ownKey)));
      }),
    cancelSubscription: (id, key) =>
      call(async () => readSubscription(await stripe.subscriptions.cancel(id, {}, write(key)))),
    setSubscriptionPaymentMethod: (id, paymentMethodId, key) =>
      call(async () => {
        const changes = { default_payment_method: paymentMethodId };
        return readSubscription(await stripe.subscriptions.update(id, changes, write(key)));
      }),

    findInvoice: id => call(async () => readInvoice(await stripe.invoices.retrieve(id))),

    findPaymentMethod: id => call(() => findPaymentMethod(stripe, id)),

    createBalanceTransaction: (customerId, { amount, currency, description, metadata }, key) =>
      call(async () => {
        const transaction = { amount, currency, description, metadata: { ...metadata } };
        const { id } = await stripe.customers.createBalanceTransaction(customerId, transaction, write(key));
        return { id };
      }),
    findBalanceTransaction: (customerId, { metadata, createdFrom }) =>
      findBalanceTransaction({ stripe, call }, customerId, metadata, createdFrom),

    listEvents: ({ undeliveredOnly = false, createdFrom, startingAfter }) =>
      call(async () => {
        const filter = {
          limit: PAGE,
          ...(undeliveredOnly && { delivery_success: false }),
          ...(createdFrom && { created: { gte: inSeconds(createdFrom) } }),
          ...given({ starting_after: startingAfter }),
        };
        const { data, has_more: hasMore } = await stripe.events.list(filter);
        return { events: data.map(event => ({ ...event })), hasMore };
      }),
  };
}

/** Makes calls to the library: limited, retried, with its errors converted to problems. */
function callsOf(bulkhead: Bulkhead): Bulkhead {
  return request =>
    bulkhead(async () => {
      try {
        return await withRetries(request);
      } catch (err) {
        throw toProblem(err);
      }
    });
}

function checkoutParams(session: NewCheckoutSession): Stripe.Checkout.SessionCreateParams {
  const { mode, customerId, line, successUrl, cancelUrl, trialDays } = session;
  const metadata = { ...session.metadata };
  const common = {
    customer: customerId,
    line_items: [{ price: line.priceId, quantity: line.quantity }],
    success_url: successUrl,
    cancel_url: cancelUrl,
    metadata,
  };
  // Stripe does not copy the session's metadata to what the session creates.
  if (mode === 'subscription') {
    const trial = trialDays === undefined ? {} : { trial_period_days: trialDays };
    return { ...common, mode, subscription_data: { metadata, ...trial } };
  }
  // Without this a one-time payment creates no invoice.
  return {
    ...common,
    mode,
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
  };
}

function setupParams(session: NewSetupSession): Stripe.Checkout.SessionCreateParams {
  const { customerId, currency, successUrl, cancelUrl } = session;
  const metadata = { ...session.metadata };
  return {
    mode: 'setup',
    customer: customerId,
    currency,
    success_url: successUrl,
    cancel_url: cancelUrl,
    metadata,
    setup_intent_data: { metadata },
  };
}

async function findPaymentMethod(stripe: Stripe, customerId: string): Promise<PaymentMethodSnapshot | null> {
  const customer = await stripe.customers.retrieve(customerId, { expand: ['invoice_settings.default_payment_method'] });
  if (customer.deleted) return null;
  const chosen = customer.invoice_settings.default_payment_method;
  if (chosen && typeof chosen !== 'string') return describe(chosen);
  const [newest] = (await stripe.customers.listPaymentMethods(customerId, { limit: 1 })).data;
  return newest ? describe(newest) : null;
}

function describe({ id, type, card }: Stripe.PaymentMethod): PaymentMethodSnapshot {
  if (!card) return { id, type, card: null };
  return { id, type, card: { brand: card.brand, last4: card.last4, expMonth: card.exp_month, expYear: card.exp_year } };
}

/** The processor has no search for these, so all pages are scanned. */
async function findBalanceTransaction(
  { stripe, call }: { stripe: Stripe; call: Bulkhead },
  customerId: string,
  metadata: Readonly<Record<string, string>>,
  createdFrom: Date,
): Promise<{ readonly id: string } | null> {
  const matches = (stored: Stripe.Metadata | null) =>
    Object.entries(metadata).every(([key, value]) => stored?.[key] === value);
  const filter = { created: { gte: inSeconds(createdFrom) }, limit: PAGE };
  let after: string | undefined;
  for (;;) {
    const cursor = given({ starting_after: after });
    const page = await call(() => stripe.customers.listBalanceTransactions(customerId, { ...filter, ...cursor }));
    const found = page.data.find(transaction => matches(transaction.metadata));
    if (found) return { id: found.id };
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return null;
  }
}

const inSeconds = (time: Date) => Math.floor(time.getTime() / 1_000);

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

/** Returns the fields that have a value: the library sends an `undefined` field as empty. */
function given<Fields extends Record<string, unknown>>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }; // undefined ones are gone
}
