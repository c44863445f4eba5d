import type { Stripe } from 'stripe';
import type { BillingAddress } from '@billing/contracts/resources/billing-details';
import { PAGE_SIZE } from '../page-size.ts';
import type { BillingChanges, PaymentMethodSnapshot, PaymentMethodsInUse, Processor } from '../port.ts';
import { completeLists, WHOLE_CUSTOMER } from './nested-lists.ts';
import { isMissing, missingCustomer } from '../errors.ts';
import { readCustomer, readLiveCustomer, readTaxId } from '../snapshots/customer.ts';
import { readPaymentMethod } from '../snapshots/payment-method.ts';
import { given, listAll, write, type Calls } from './calls.ts';
import { findCreated, type Page } from './find-created.ts';

type Customers = Pick<
  Processor,
  | 'createCustomer'
  | 'findCustomer'
  | 'findBilledCustomer'
  | 'createTaxId'
  | 'deleteTaxId'
  | 'listCustomersByEmail'
  | 'updateCustomer'
  | 'findPaymentMethods'
  | 'createBalanceTransaction'
  | 'findCreatedBalanceTransaction'
>;

/** Customers, their balances, and what they are charged to. */
export function customerCalls({ stripe, call }: Calls): Customers {
  return {
    createCustomer: ({ email, name, metadata, testClockId: test_clock }, key) =>
      call(async () =>
        readLiveCustomer(
          await stripe.customers.create(
            { email, ...given({ name, test_clock }), metadata: { ...metadata } },
            write(key),
          ),
        ),
      ),
    findCustomer: id => call(async () => readCustomer(await stripe.customers.retrieve(id))),
    findBilledCustomer: id =>
      call(async () => {
        const found = await stripe.customers.retrieve(id, { expand: [...WHOLE_CUSTOMER.expand, 'subscriptions'] });
        return readCustomer(await completeLists(stripe, found));
      }),
    createTaxId: (customerId, { type, value }, key) =>
      call(async () => readTaxId(await stripe.customers.createTaxId(customerId, { type, value }, write(key)))),
    deleteTaxId: (customerId, id) =>
      call(async () => void (await stripe.customers.deleteTaxId(customerId, id))).catch((err: unknown) => {
        if (!isMissing(err)) throw err;
      }),
    listCustomersByEmail: email =>
      call(async () => (await stripe.customers.list({ email, limit: PAGE_SIZE })).data.map(readLiveCustomer)),
    updateCustomer: (id, { email, name, metadata, defaultPaymentMethodId, billing }, key) =>
      call(async () => {
        const settings = defaultPaymentMethodId && {
          invoice_settings: { default_payment_method: defaultPaymentMethodId },
        };
        const changes = {
          ...given({ email, name, metadata: metadata && { ...metadata } }),
          ...settings,
          ...(billing && billingParameters(billing)),
        };
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

/** A list without entries is sent as an empty text, which the library's types do not have for the languages. */
function billingParameters({
  address,
  locale,
  invoiceFields,
  ...changes
}: BillingChanges): Stripe.CustomerUpdateParams {
  const { businessName, phone, taxExempt, validatesLocation = false } = changes;
  const languages = locale === null ? ('' as unknown as string[]) : locale === undefined ? undefined : [locale];
  return given({
    business_name: businessName ?? (businessName === null ? '' : undefined),
    address: address === null ? ('' as const) : address && addressParameters(address),
    phone: phone ?? (phone === null ? '' : undefined),
    preferred_locales: languages,
    tax_exempt: taxExempt,
    invoice_settings: invoiceFields && {
      custom_fields: invoiceFields.length === 0 ? ('' as const) : invoiceFields.map(field => ({ ...field })),
    },
    tax: validatesLocation ? { validate_location: 'immediately' as const } : undefined,
  });
}

/** All parts, so that none of the former address stays. */
const addressParameters = ({
  line1,
  line2,
  city,
  state,
  postalCode,
  country,
}: BillingAddress): Stripe.AddressParam => ({
  line1: line1 ?? '',
  line2: line2 ?? '',
  city: city ?? '',
  state: state ?? '',
  postal_code: postalCode ?? '',
  country: country ?? '',
});

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
  if (customer.deleted) throw missingCustomer(customerId);
  const own = running.flatMap(({ id, default_payment_method: method, default_source: source }) => {
    const described = describe(method) ?? describe(source);
    return described ? [[id, described] as const] : [];
  });
  const ofSubscriptions = new Map(own);
  const byInvoice = new Set(running.flatMap(it => (it.collection_method === 'send_invoice' ? it.id : [])));
  const { default_payment_method: method } = customer.invoice_settings;
  return { customerDefault: describe(method) ?? describe(customer.default_source), ofSubscriptions, byInvoice };
}

/** Null without one; the calls above expand it, so that it is no id. Sources are charged as they were where they are the default. */
const describe = (method: string | Stripe.PaymentMethod | Stripe.CustomerSource | null): PaymentMethodSnapshot | null =>
  method && typeof method !== 'string' ? readPaymentMethod(method) : null;
