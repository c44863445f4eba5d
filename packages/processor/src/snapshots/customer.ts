import { z } from 'zod';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

const live = z.object({
  id: z.string(),
  deleted: z
    .literal(false)
    .optional()
    .transform(() => false as const),
  email: orNull(z.string()),
  name: orNull(z.string()),
  metadata: processorMetadata,
  created: unixTime,
  invoice_settings: z.object({ default_payment_method: orNull(reference) }).nullish(),
});
const deleted = z.object({ id: z.string(), deleted: z.literal(true) });

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
export function readCustomer(raw: unknown): CustomerSnapshot {
  const stub = deleted.safeParse(raw);
  if (stub.success) return { deleted: true, id: stub.data.id };
  const { id, email, name, metadata, created, invoice_settings: settings } = live.parse(raw);
  return {
    deleted: false,
    id,
    email,
    name,
    metadata,
    createdAt: created,
    defaultPaymentMethodId: settings?.default_payment_method ?? null,
  };
}

/**
 * Parses a customer that must not be deleted.
 * @throws Error for the stub of a deleted customer
 */
export function readLiveCustomer(raw: unknown): Extract<CustomerSnapshot, { deleted: false }> {
  const customer = readCustomer(raw);
  if (customer.deleted) throw new Error(`The processor has deleted customer ${customer.id}.`);
  return customer;
}
