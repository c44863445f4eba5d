import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { canonicalEmail } from '@billing/contracts/text';
import type { SyncType } from '@billing/contracts/resources/sync';
import type { ListedObject } from '@billing/processor/port';
import { fieldOf, readRouteHints, type Reference, type ReferenceKind } from '#domain/route-hints.ts';

type Fields = Readonly<Record<string, unknown>>;

interface TypeTraits {
  /** The event that carries what a sync read of an object. */
  readonly observed: ProcessorEventType;
  /** The event that ends a record whose object is gone; null for what is never deleted. */
  readonly gone: ProcessorEventType | null;
  /** What an object of the type belongs to. */
  readonly parents: readonly ReferenceKind[];
}

/** What the types of a sync are among Stripe's objects and events. */
export const TRAITS: Readonly<Record<SyncType, TypeTraits>> = {
  product: { observed: 'product.updated', gone: 'product.deleted', parents: [] },
  price: { observed: 'price.updated', gone: 'price.deleted', parents: ['product'] },
  customer: { observed: 'customer.updated', gone: 'customer.deleted', parents: [] },
  subscription: {
    observed: 'customer.subscription.updated',
    gone: 'customer.subscription.deleted',
    parents: ['customer'],
  },
  invoice: { observed: 'invoice.updated', gone: 'invoice.deleted', parents: ['customer', 'subscription'] },
  payment: { observed: 'charge.updated', gone: null, parents: ['customer'] },
};

const UNFINISHED: ReadonlyMap<SyncType, string> = new Map([
  ['invoice', 'draft'],
  ['payment', 'pending'],
]);

/** What a sync needs of an object to decide on it. */
export interface ObjectDetails {
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly Reference[];
  readonly endedAt: Date | null;
  /** Whether it is a draft of an invoice, or a payment that is pending: nothing is to be recorded yet. */
  readonly isUnfinished: boolean;
  readonly createdAt: Date | null;
  /** Of a customer, trimmed and in lower case. */
  readonly email: string | null;
}

/** Reads an object's details. Whatever has another shape than expected is left out. */
export function detailsOf(type: SyncType, object: Fields): ObjectDetails {
  const { observed, parents } = TRAITS[type];
  const ofSubscription = fieldOf(object['parent'], 'subscription_details') ?? object['subscription_details'];
  return {
    metadata: {
      ...(type === 'invoice' && textsOf(fieldOf(ofSubscription, 'metadata'))),
      ...textsOf(object['metadata']),
    },
    parents: readRouteHints(observed, object).references.filter(({ kind }) => parents.includes(kind)),
    endedAt: type === 'subscription' ? timeOf(object['ended_at']) : null,
    isUnfinished: UNFINISHED.get(type) === (object['status'] ?? null),
    createdAt: timeOf(object['created']),
    email: type === 'customer' ? emailOf(object['email']) : null,
  };
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

const timeOf = (seconds: unknown): Date | null => (typeof seconds === 'number' ? new Date(seconds * 1_000) : null);

const emailOf = (email: unknown): string | null => (typeof email === 'string' && canonicalEmail(email)) || null;

/** What stands for an object that Stripe does not have any more. */
export const gone = (id: string): ListedObject => ({ id, deleted: true });
