import { withoutRouting } from './metadata.ts';
import { foldEach, type ToldEvent } from './told-event.ts';

/** What a customer says of itself; null once it is deleted. */
export type ModelCustomer = {
  readonly email: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, string>>;
} | null;

const CUSTOMER_EVENTS = /^customer\.(created|updated|deleted)$/;

/** By the processor's id. The newest event counts, and a deleted customer stays deleted. */
export const foldCustomers = (told: readonly ToldEvent[]): Map<string, ModelCustomer> =>
  foldEach<ModelCustomer>(told, CUSTOMER_EVENTS, (state, event) =>
    state === null || event.type === 'customer.deleted' ? null : read(event),
  );

const read = ({ data: { object } }: ToldEvent): ModelCustomer => ({
  email: object.email,
  name: object.name,
  metadata: withoutRouting(object.metadata),
});
