import {
  TAX_EXEMPTIONS,
  VERIFICATIONS,
  type BillingAddress,
  type TaxExempt,
  type Verification,
} from '@billing/contracts/resources/billing-details';
import { parseObject, type Fields } from './fields.ts';
import { readTax } from './tax.ts';
import { flag, listOf, normalText, reference, shortText, unixTime, wholeNumber } from './values.ts';

/** What stands on the invoices of a customer. */
export interface BillingSnapshot {
  readonly businessName: string | null;
  readonly address: BillingAddress | null;
  readonly phone: string | null;
  readonly taxExempt: TaxExempt;
  /** The first of its languages. */
  readonly locale: string | null;
  readonly invoiceFields: readonly { readonly name: string; readonly value: string }[];
}

/** A tax id of a customer. */
export interface TaxIdSnapshot {
  readonly id: string;
  readonly type: string;
  readonly value: string;
  readonly verification: Verification;
}

/** A customer of the processor; a deleted one is a stub. */
export type CustomerSnapshot =
  | {
      readonly deleted: false;
      readonly id: string;
      readonly email: string | null;
      readonly name: string | null;
      readonly metadata: Readonly<Record<string, string>>;
      readonly createdAt: Date;
      readonly defaultPaymentMethodId: string | null;
      /** The clock that it lives on in tests; null when it lives in real time. */
      readonly testClockId: string | null;
      /** What the next invoices use, in the currency's smallest unit; null for a customer that was never billed. */
      readonly balance: { readonly credit: number; readonly currency: string } | null;
      /** Of subscriptions without discounts of their own; null without one. */
      readonly discountId: string | null;
      readonly billing: BillingSnapshot;
      /** Null where they were not expanded, as in events. */
      readonly taxIds: readonly TaxIdSnapshot[] | null;
      /** Whether tax can be computed for the address; null where that was not asked. */
      readonly taxLocation: 'recognized' | 'unrecognized' | null;
      /** Whether a living subscription is taxed, or was until the location was lost; null where they were not expanded. */
      readonly isTaxed: boolean | null;
    }
  | { readonly deleted: true; readonly id: string };

/** Parses a customer of any API version: before 2019-10-17 its balance, which is negative for a credit, has another name. */
export const readCustomer = (raw: unknown): CustomerSnapshot =>
  parseObject(raw, customer => {
    const id = customer.required('id', shortText);
    if (customer.optional('deleted', flag) === true) return { deleted: true, id };
    const settings = customer.optionalObject('invoice_settings', it => ({
      defaultPaymentMethodId: it.optional('default_payment_method', reference),
    }));
    const owed = customer.optional('balance', wholeNumber) ?? customer.optional('account_balance', wholeNumber) ?? 0;
    const currency = customer.optional('currency', shortText);
    return {
      deleted: false,
      id,
      email: customer.optional('email', shortText),
      name: customer.optional('name', shortText),
      metadata: customer.metadata(),
      createdAt: customer.required('created', unixTime),
      defaultPaymentMethodId: settings?.defaultPaymentMethodId ?? null,
      testClockId: customer.optional('test_clock', reference),
      balance: currency === null ? null : { credit: 0 - owed, currency },
      discountId: customer.optionalObject('discount', it => it.optional('id', shortText)),
      billing: readBilling(customer),
      taxIds: customer.optionalList('tax_ids', taxIdOf),
      taxLocation: customer.optionalObject('tax', it => locationOf(it.optional('automatic_tax', shortText))),
      isTaxed:
        customer
          .optionalList('subscriptions', readTax)
          ?.some(({ automatic, stoppedReason }) => automatic || stoppedReason !== null) ?? null,
    };
  });

function readBilling(customer: Fields): BillingSnapshot {
  const exempt = customer.optional('tax_exempt', shortText);
  const [locale = null] = customer.optional('preferred_locales', listOf(shortText)) ?? [];
  const settings = customer.optionalObject('invoice_settings', it => it.array('custom_fields', readInvoiceField));
  return {
    businessName: customer.optional('business_name', shortText),
    address: customer.optionalObject('address', it => ({
      line1: it.optional('line1', normalText),
      line2: it.optional('line2', normalText),
      city: it.optional('city', normalText),
      state: it.optional('state', normalText),
      postalCode: it.optional('postal_code', normalText),
      country: it.optional('country', shortText),
    })),
    phone: customer.optional('phone', shortText),
    taxExempt: TAX_EXEMPTIONS.find(it => it === exempt) ?? 'none',
    locale,
    invoiceFields: settings ?? [],
  };
}

/** Parses a field that is printed on invoices, of a customer or of an invoice. */
export const readInvoiceField = (it: Fields) => ({
  name: it.required('name', shortText),
  value: it.required('value', shortText),
});

/** Parses a tax id, also of an event. */
export const readTaxId = (raw: unknown): TaxIdSnapshot & { readonly customerId: string | null } =>
  parseObject(raw, it => ({ ...taxIdOf(it), customerId: it.optional('customer', reference) }));

function taxIdOf(it: Fields): TaxIdSnapshot {
  const status = it.optionalObject('verification', verification => verification.optional('status', shortText));
  return {
    id: it.required('id', shortText),
    type: it.required('type', shortText),
    value: it.required('value', shortText),
    verification: VERIFICATIONS.find(one => one === status) ?? 'unavailable',
  };
}

/** A calculation that failed for another reason says nothing about the location. */
const locationOf = (status: string | null) =>
  status === null || status === 'failed' ? null : status === 'unrecognized_location' ? 'unrecognized' : 'recognized';

/**
 * Parses a customer that must not be deleted.
 * @throws Error for the stub of a deleted customer
 */
export function readLiveCustomer(raw: unknown): Extract<CustomerSnapshot, { deleted: false }> {
  const customer = readCustomer(raw);
  if (customer.deleted) throw new Error(`The processor has deleted customer ${customer.id}.`);
  return customer;
}
