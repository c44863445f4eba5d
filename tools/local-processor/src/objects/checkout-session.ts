import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { checkoutUrl } from './hosted-urls.ts';
import { priceAmount } from './price.ts';
import type { CheckoutOptions } from './checkout-plan.ts';
import type { CheckoutSession, Customer, LineItem, Price } from './stored.ts';

const DAY_SECONDS = 86_400;

interface NewCheckoutSession {
  mode: 'subscription' | 'payment' | 'setup';
  customer: Customer | null;
  customerEmail: string | null;
  customerCreation: 'always' | 'if_required' | null;
  clientReferenceId: string | null;
  currency: string | null;
  lines: LineItem[];
  trial: boolean;
  metadata: Stripe.Metadata;
  successUrl: string;
  cancelUrl: string | null;
  expiresAt: number | null;
  setupIntent: string | null;
  invoiceCreation: { enabled: boolean; metadata: Stripe.Metadata };
  options: CheckoutOptions;
  discounts: CheckoutSession['discounts'];
}

/** Returns an open hosted session, which expires after 24 hours by default. */
export function newCheckoutSession(unit: UnitOfWork, given: NewCheckoutSession): CheckoutSession {
  const id = newId(unit.livemode ? 'cs_live_' : 'cs_test_', 58);
  const { mode, customer, lines, trial, options } = given;
  const due = mode === 'setup' ? null : amountsDue(lines, trial);
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: options.allowPromotionCodes,
    allowed_payment_method_types: null,
    amount_subtotal: due && due.subtotal,
    amount_total: due && due.total,
    automatic_tax: options.automaticTax
      ? { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'requires_location_inputs' }
      : { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: given.cancelUrl,
    client_reference_id: given.clientReferenceId,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: unit.now,
    currency: given.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: customer ? null : given.customerCreation,
    customer_details: detailsOf(customer?.email ?? given.customerEmail, customer?.name ?? null),
    customer_email: given.customerEmail,
    discounts: given.discounts,
    expires_at: given.expiresAt ?? unit.now + DAY_SECONDS,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: given.invoiceCreation.enabled,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: given.invoiceCreation.metadata,
              rendering_options: null,
            },
          }
        : null,
    livemode: unit.livemode,
    locale: options.locale,
    managed_payments: null,
    metadata: given.metadata,
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: mode === 'subscription' ? 'always' : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: given.setupIntent,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: given.successUrl,
    ...(options.taxIds ? { tax_id_collection: options.taxIds } : {}),
    total_details: due && { amount_discount: due.subtotal - due.total, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: checkoutUrl(unit.publicUrl, id),
    wallet_options: null,
  };
}

/** Returns the customer details of a session; null without email and name. */
export function detailsOf(email: string | null, name: string | null): CheckoutSession['customer_details'] {
  if (email === null && name === null) return null;
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

interface NewLineItem {
  price: Price;
  /** Null for a metered price. */
  quantity: number | null;
  currency: string;
  description: string;
}

/** Returns one line of a session. */
export function newLineItem(unit: UnitOfWork, given: NewLineItem): LineItem {
  const { price, quantity, currency, description } = given;
  const amount = priceAmount(unit, price, currency, quantity);
  return {
    id: newId('li_1'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description,
    metadata: {},
    price,
    quantity,
  };
}

/** Returns the amount of the first payment, before and after discounts: during a free trial only the one-time lines. */
export function amountsDue(lines: readonly LineItem[], trial: boolean): { subtotal: number; total: number } {
  const due = lines.filter(({ price }) => !trial || price.type === 'one_time');
  return {
    subtotal: due.reduce((sum, line) => sum + line.amount_subtotal, 0),
    total: due.reduce((sum, line) => sum + line.amount_total, 0),
  };
}
