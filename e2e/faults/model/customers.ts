import { foldByObject, withoutRoutingKeys, type StripeEvent } from './stripe-event.ts';

/** A customer's own fields; null once the customer is deleted. */
export type ModelCustomer = {
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, string>>;
} | null;

const CUSTOMER_EVENTS = /^customer\.(created|updated|deleted)$/;

/** Returns customers by Stripe id. The newest event wins; a deleted customer stays deleted. */
export const foldCustomers = (events: readonly StripeEvent[]): Map<string, ModelCustomer> =>
  foldByObject<ModelCustomer>(events, CUSTOMER_EVENTS, (state, event) =>
    state === null || event.type === 'customer.deleted' ? null : read(event),
  );

const read = ({ data: { object } }: StripeEvent): ModelCustomer => ({
  email: object.email.trim().toLowerCase(),
  name: object.name,
  metadata: withoutRoutingKeys(object.metadata),
});
