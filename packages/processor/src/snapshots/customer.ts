import { flag, parseObject, reference, text, unixTime, wholeNumber } from './fields.ts';

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
      /** What the next invoices use, in the currency's smallest unit; null for a customer that was never billed. */
      readonly balance: { readonly credit: number; readonly currency: string } | null;
    }
  | { readonly deleted: true; readonly id: string };

/** Parses a customer of any API version: before 2019-10-17 its balance, which is negative for a credit, has another name. */
export const readCustomer = (raw: unknown): CustomerSnapshot =>
  parseObject(raw, customer => {
    const id = customer.required('id', text);
    if (customer.optional('deleted', flag) === true) return { deleted: true, id };
    const settings = customer.optionalObject('invoice_settings', it => ({
      defaultPaymentMethodId: it.optional('default_payment_method', reference),
    }));
    const owed = customer.optional('balance', wholeNumber) ?? customer.optional('account_balance', wholeNumber) ?? 0;
    const currency = customer.optional('currency', text);
    return {
      deleted: false,
      id,
      email: customer.optional('email', text),
      name: customer.optional('name', text),
      metadata: customer.metadata(),
      createdAt: customer.required('created', unixTime),
      defaultPaymentMethodId: settings?.defaultPaymentMethodId ?? null,
      balance: currency === null ? null : { credit: 0 - owed, currency },
    };
  });

/**
 * Parses a customer that must not be deleted.
 * @throws Error for the stub of a deleted customer
 */
export function readLiveCustomer(raw: unknown): Extract<CustomerSnapshot, { deleted: false }> {
  const customer = readCustomer(raw);
  if (customer.deleted) throw new Error(`The processor has deleted customer ${customer.id}.`);
  return customer;
}
