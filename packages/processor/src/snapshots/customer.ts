import { flag, parseObject, reference, text, unixTime } from './fields.ts';

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
    }
  | { readonly deleted: true; readonly id: string };

/** Parses a customer of any API version. */
export const readCustomer = (raw: unknown): CustomerSnapshot =>
  parseObject(raw, customer => {
    const id = customer.required('id', text);
    if (customer.optional('deleted', flag) === true) return { deleted: true, id };
    const settings = customer.optionalObject('invoice_settings', it => ({
      defaultPaymentMethodId: it.optional('default_payment_method', reference),
    }));
    return {
      deleted: false,
      id,
      email: customer.optional('email', text),
      name: customer.optional('name', text),
      metadata: customer.metadata(),
      createdAt: customer.required('created', unixTime),
      defaultPaymentMethodId: settings?.defaultPaymentMethodId ?? null,
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
