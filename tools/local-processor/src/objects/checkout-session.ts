import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { checkoutUrl } from './hosted-urls.ts';
import { priceAmount } from './price.ts';
import { nulls } from './nulls.ts';
import type { CheckoutPlan, CheckoutSession, Customer, LineItem, Price } from './stored.ts';

type NewCheckoutSession = Pick<
  CheckoutSession,
  | 'allow_promotion_codes'
  | 'automatic_tax'
  | 'cancel_url'
  | 'client_reference_id'
  | 'currency'
  | 'customer_email'
  | 'discounts'
  | 'expires_at'
  | 'locale'
  | 'metadata'
  | 'mode'
  | 'return_url'
  | 'setup_intent'
  | 'success_url'
  | 'tax_id_collection'
  | 'ui_mode'
> & {
  payment_method_collection: 'always' | 'if_required' | undefined;
  customer: Customer | null;
  lines: LineItem[];
  trial: boolean;
  invoice: CheckoutPlan['invoiceCreation'];
};

const NOTHING_DUE = { amount_subtotal: null, amount_total: null, total_details: null };

/** Returns an open session. One that is embedded has a secret in place of a URL. */
export function newCheckoutSession(unit: UnitOfWork, given: NewCheckoutSession): CheckoutSession {
  const id = newId(unit.livemode ? 'cs_live_' : 'cs_test_', 58);
  const { customer, lines, trial, invoice, payment_method_collection: collection, ...fields } = given;
  const { mode } = fields;
  const isEmbedded = fields.ui_mode === 'embedded_page';
  const due = mode === 'setup' ? NOTHING_DUE : amountsDue(lines, trial);
  return {
    ...fields,
    id,
    object: 'checkout.session',
    ...nulls('adaptive_pricing after_expiration allowed_payment_method_types billing_address_collection'),
    ...nulls('collected_information consent consent_collection currency_conversion customer_account'),
    ...nulls('integration_identifier invoice managed_payments origin_context payment_intent payment_link'),
    ...nulls('payment_method_configuration_details permissions recovered_from saved_payment_method_options'),
    ...nulls('shipping_address_collection shipping_cost submit_type subscription wallet_options'),
    ...due,
    client_secret: isEmbedded ? `${id}_secret_${newId('', 40)}` : null,
    created: unit.now,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: customer?.id ?? null,
    customer_creation: customer || mode === 'setup' ? null : mode === 'payment' ? 'if_required' : 'always',
    customer_details: detailsOf(customer?.email ?? fields.customer_email, customer?.name ?? null),
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: invoice.enabled,
            invoice_data: {
              ...nulls('account_tax_ids custom_fields description footer issuer rendering_options'),
              metadata: invoice.metadata,
            },
          }
        : null,
    livemode: unit.livemode,
    payment_method_collection: collection ?? (mode === 'subscription' ? 'always' : 'if_required'),
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: 'open',
    url: isEmbedded ? null : checkoutUrl(unit.publicUrl, id),
  };
}

/** Returns the customer details of a session; null without email and name. */
export function detailsOf(email: string | null, name: string | null): CheckoutSession['customer_details'] {
  if (email === null && name === null) return null;
  return {
    ...nulls('address business_name individual_name phone'),
    email,
    name,
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

/** Returns the amounts of the first payment as a session shows them: during a free trial only of the one-time lines. */
export function amountsDue(lines: readonly LineItem[], trial: boolean) {
  const due = lines.filter(({ price }) => !trial || price.type === 'one_time');
  const sum = (amountOf: (line: LineItem) => number) => due.reduce((total, line) => total + amountOf(line), 0);
  return {
    amount_subtotal: sum(line => line.amount_subtotal),
    amount_total: sum(line => line.amount_total),
    total_details: {
      amount_discount: sum(line => line.amount_discount),
      amount_shipping: 0,
      amount_tax: sum(line => line.amount_tax),
    },
  };
}
