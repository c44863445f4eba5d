import type { Stripe } from 'stripe';
import type { CheckoutLine, Checkouts, NewCheckoutSession, NewSetupSession, SubscriptionTerms } from '../selling.ts';
import { readCheckoutSession } from '../snapshots/checkout-session.ts';
import { given, idOf, write, type Calls } from './calls.ts';
import { findCreated, type Page } from './find-created.ts';

/** https://docs.stripe.com/metadata */
const MAX_METADATA_KEYS = 50;

/** Hosted sessions. */
export function checkoutCalls({ stripe, call }: Calls): Checkouts {
  return {
    createCheckoutSession: (session, key) =>
      call(async () => readCheckoutSession(await stripe.checkout.sessions.create(checkoutParams(session), write(key)))),
    createSetupSession: (session, key) =>
      call(async () => readCheckoutSession(await stripe.checkout.sessions.create(setupParams(session), write(key)))),
    findCheckoutSession: id => call(async () => readCheckoutSession(await stripe.checkout.sessions.retrieve(id))),
    findCreatedCheckoutSession: async (customer, created) => {
      const list = (page: Page) => call(() => stripe.checkout.sessions.list({ ...page, customer }));
      const found = await findCreated(created, list);
      return found && readCheckoutSession(found);
    },
    findSavedPaymentMethod: id =>
      call(async () => ({ paymentMethodId: idOf((await stripe.setupIntents.retrieve(id)).payment_method) })),
  };
}

/** Returns a price with its quantity, as sessions and subscriptions name it. */
export const pricedLine = ({ priceId, quantity }: CheckoutLine) => ({ price: priceId, ...given({ quantity }) });

/** Returns the parameter that says what follows a trial without a payment method. */
export const trialSettings = ({ trialEndsWithoutMethod: outcome }: Pick<SubscriptionTerms, 'trialEndsWithoutMethod'>) =>
  outcome && { trial_settings: { end_behavior: { missing_payment_method: outcome } } };

function checkoutParams(session: NewCheckoutSession): Stripe.Checkout.SessionCreateParams {
  const { mode, customerId, lines, currency, trialDays, operationId } = session;
  const metadata = { ...session.metadata };
  const common = {
    customer: customerId,
    line_items: lines.map(pricedLine),
    ...given({ currency, payment_method_collection: session.paymentMethodCollection }),
    ...pageOf(session),
    metadata: operationId === undefined ? metadata : withOperationId(metadata, operationId),
    ...checkoutOptions(session),
  };
  // Stripe does not copy the session's metadata to what the session creates.
  if (mode === 'subscription') {
    const trial = { ...given({ trial_period_days: trialDays }), ...trialSettings(session) };
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

/** Returns where a session is shown, and where it leads. An embedded one has a single URL, whatever becomes of it. */
function pageOf({ page, successUrl, cancelUrl }: NewCheckoutSession) {
  if (page === 'embedded') return { ui_mode: 'embedded_page' as const, return_url: successUrl };
  return { success_url: successUrl, ...given({ cancel_url: cancelUrl }) };
}

/** The price gives way where a caller's metadata leaves no room: the session's line names it too. */
function withOperationId(metadata: Readonly<Record<string, string>>, operationId: string): Record<string, string> {
  const fields = Object.entries(metadata);
  const kept = fields.length < MAX_METADATA_KEYS ? fields : fields.filter(([key]) => key !== 'priceId');
  return { ...Object.fromEntries(kept), operationId };
}

/** For an existing customer, Stripe must be told to save the address and name that taxes need. https://docs.stripe.com/tax/checkout */
function checkoutOptions(session: NewCheckoutSession) {
  const { allowPromotionCodes, promotionCodeId, automaticTax, taxIdCollection, clientReferenceId, locale } = session;
  const saved = {
    ...((automaticTax || taxIdCollection) && { address: 'auto' as const }),
    ...(taxIdCollection && { name: 'auto' as const }),
  };
  return {
    ...(allowPromotionCodes && { allow_promotion_codes: true }),
    ...(promotionCodeId !== undefined && { discounts: [{ promotion_code: promotionCodeId }] }),
    ...(automaticTax && { automatic_tax: { enabled: true } }),
    ...(taxIdCollection && { tax_id_collection: { enabled: true } }),
    ...(Object.keys(saved).length > 0 && { customer_update: saved }),
    ...given({ client_reference_id: clientReferenceId, locale }),
  };
}

function setupParams(session: NewSetupSession): Stripe.Checkout.SessionCreateParams {
  const { customerId, currency, successUrl, cancelUrl, locale } = session;
  const metadata = { ...session.metadata };
  return {
    mode: 'setup',
    customer: customerId,
    currency,
    success_url: successUrl,
    cancel_url: cancelUrl,
    ...given({ locale }),
    metadata,
    setup_intent_data: { metadata },
  };
}
