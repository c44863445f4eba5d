import { createHash } from 'node:crypto';
import type { TeamId } from '@billing/contracts/ids';
import { processorObjectOf, type ProcessorEventType, type ProcessorObject } from '@billing/contracts/processor-events';

/** The table of each kind of object. */
export const TABLES = {
  'checkout.session': 'checkout_sessions',
  'customer.subscription': 'subscriptions',
  'test_helpers.test_clock': 'test_clocks',
  subscription_schedule: 'subscription_schedules',
  'customer.discount': 'discounts',
  'customer.tax_id': 'tax_ids',
  customer: 'customers',
  invoice: 'invoices',
  invoice_payment: 'invoice_payments',
  payment_intent: 'payment_intents',
  charge: 'charges',
  'charge.dispute': 'disputes',
  'charge.refund': 'refunds',
  refund: 'refunds',
  product: 'products',
  price: 'prices',
  coupon: 'coupons',
  promotion_code: 'promotion_codes',
} as const satisfies Record<ProcessorObject, string>;
export type RawTable = (typeof TABLES)[ProcessorObject];
/** One table per type of object in each team's schema. */
export const RAW_TABLES: readonly RawTable[] = [...new Set(Object.values(TABLES))];

/** The table that holds the objects of an event's type. */
export const rawTableOf = (type: ProcessorEventType): RawTable => TABLES[processorObjectOf(type)];

/** The newest state of one of Stripe's objects. */
export interface RawObject {
  readonly id: string;
  readonly json: string;
  /** Whether its status is final. */
  readonly isFinal: boolean;
  /** When it was so, by the time of Stripe's event. */
  readonly updatedAt: Date;
  readonly deleted: boolean;
  /** The first state of an object is replaced by any other of the same second. */
  readonly isFirst: boolean;
}

/** Statuses that an object keeps: within a second no other status replaces them. An invoice is often open and paid in one. */
export const FINAL_STATUSES = [
  'canceled',
  'complete',
  'expired',
  'incomplete_expired',
  'paid',
  'succeeded',
  'void',
] as const;

export const isFinalStatus = (status: unknown): boolean => FINAL_STATUSES.some(it => it === status);

/** Returns the newest state of each object, ordered by id so that two writers never wait for each other in a circle. */
export function newestOfEach(objects: readonly RawObject[]): RawObject[] {
  const newest = new Map<string, RawObject>();
  for (const object of objects) {
    const other = newest.get(object.id);
    if (!other || replaces(object, other)) newest.set(object.id, object);
  }
  return [...newest.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function replaces(object: RawObject, other: RawObject): boolean {
  if (object.deleted !== other.deleted) return object.deleted ? endsLife(object, other) : !endsLife(other, object);
  const difference = object.updatedAt.getTime() - other.updatedAt.getTime();
  return difference > 0 || (difference === 0 && !object.isFirst && object.isFinal >= other.isFinal);
}

/** Whether a deletion is of the object: another one may have been made under its id since. */
function endsLife(deletion: RawObject, object: RawObject): boolean {
  const [ended, begun] = [createdOf(deletion), createdOf(object)];
  return begun === null || begun <= (ended ?? deletion.updatedAt.getTime() / 1_000);
}

/** When Stripe created an object, in seconds since 1970; null for one without that, such as a stub. */
function createdOf({ json }: RawObject): number | null {
  const created: unknown = Object(JSON.parse(json)).created;
  return typeof created === 'number' ? created : null;
}

/** PostgreSQL cuts longer names off. */
const MAX_NAME = 63;

/**
 * The name of a team's schema: its id in lower case. Ids that differ only in case, or in what PostgreSQL would cut off,
 * get a digest in place of it, so that no two teams ever share a schema.
 */
export function teamSchemaName(teamId: TeamId): string {
  if (/^team_[0-9a-z]+$/.test(teamId) && teamId.length <= MAX_NAME) return teamId;
  return `team_sha_${createHash('sha256').update(teamId).digest('hex').slice(0, 40)}`;
}
