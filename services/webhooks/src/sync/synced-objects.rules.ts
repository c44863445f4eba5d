import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { canonicalEmail, isStorable } from '@billing/contracts/text';
import type { SyncType } from '@billing/contracts/resources/sync';
import type { ListedObject } from '@billing/processor/port';
import { fieldOf, readRouteHints, type Reference, type ReferenceKind } from '#pipeline/route-hints.rules';

type Fields = Readonly<Record<string, unknown>>;

interface TypeTraits {
  /** The event that carries what a sync read of an object. */
  readonly observed: ProcessorEventType;
  /** The event that ends a record whose object is gone; null for what is never deleted. */
  readonly gone: ProcessorEventType | null;
  /** What an object of the type belongs to, first what people know it by besides its own name. */
  readonly parents: readonly ReferenceKind[];
}

/** What the types of a sync are among Stripe's objects and events. */
export const TRAITS: Readonly<Record<SyncType, TypeTraits>> = {
  product: { observed: 'product.updated', gone: 'product.deleted', parents: [] },
  price: { observed: 'price.updated', gone: 'price.deleted', parents: ['product'] },
  coupon: { observed: 'coupon.updated', gone: 'coupon.deleted', parents: [] },
  customer: { observed: 'customer.updated', gone: 'customer.deleted', parents: [] },
  promotion_code: { observed: 'promotion_code.updated', gone: null, parents: ['coupon', 'customer'] },
  subscription: {
    observed: 'customer.subscription.updated',
    gone: 'customer.subscription.deleted',
    parents: ['customer'],
  },
  invoice: { observed: 'invoice.updated', gone: 'invoice.deleted', parents: ['customer', 'subscription'] },
  payment: { observed: 'charge.updated', gone: null, parents: ['customer'] },
};

/** The type of what people know an object by besides its own name; null for what belongs to nothing. */
export const parentTypeOf = (type: SyncType): ReferenceKind | null => TRAITS[type].parents[0] ?? null;

const UNFINISHED: ReadonlyMap<SyncType, string> = new Map([
  ['invoice', 'draft'],
  ['payment', 'pending'],
]);

/** The fields that have an object's name, the best first. */
const NAMED_BY: Readonly<Record<SyncType, readonly string[]>> = {
  product: ['name'],
  price: ['nickname'],
  coupon: ['name'],
  customer: ['name', 'email'],
  promotion_code: ['code'],
  subscription: ['description'],
  invoice: ['number'],
  payment: ['description'],
};

/** What a sync needs of an object to decide on it. */
export interface ObjectDetails {
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly Reference[];
  /** Stripe's id of what people know it by besides its own name: a price's product, or the customer. */
  readonly parentId: string | null;
  /** What people know it by: a name, an e-mail address, a number. */
  readonly name: string | null;
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
  const references = readRouteHints(observed, object).references.filter(({ kind }) => parents.includes(kind));
  return {
    metadata: {
      ...(type === 'invoice' && textsOf(fieldOf(ofSubscription, 'metadata'))),
      ...textsOf(object['metadata']),
    },
    parents: references,
    parentId: references.find(({ kind }) => kind === parentTypeOf(type))?.id ?? null,
    name: textOf(object, NAMED_BY[type]),
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

/** The first of the fields with a text that a table can hold. */
const textOf = (object: Fields, fields: readonly string[]): string | null =>
  fields
    .map(field => object[field])
    .find((value): value is string => typeof value === 'string' && value !== '' && isStorable(value)) ?? null;

const timeOf = (seconds: unknown): Date | null => (typeof seconds === 'number' ? new Date(seconds * 1_000) : null);

const emailOf = (email: unknown): string | null => (typeof email === 'string' && canonicalEmail(email)) || null;

/** What the event of an object's end would carry, or only that it is gone where its last state is not known. */
export function endOf(type: SyncType, id: string, readMs: number, last: object | undefined): ListedObject {
  if (!last) return { id, object: type, deleted: true };
  if (type !== 'subscription') return { ...last, id, object: type };
  const endedAt = Math.floor(readMs / 1_000);
  return { ...last, id, status: 'canceled', ended_at: endedAt, canceled_at: endedAt };
}

/** What stands for an object that Stripe does not have any more. */
export const gone = (id: string): ListedObject => ({ id, deleted: true });
