import { z } from 'zod';
import { objectTypeOf, type EventObjectType, type PublicEventType } from '../event-types.ts';
import { ProjectId } from '../ids.ts';
import type { EventCause } from '../resources/event.ts';
import type { BillingDetailsState } from './billing-details.ts';
import { priceOf, productOf } from './catalog.ts';
import { customerOf } from './customers.ts';
import { publicChange } from './record-event.ts';
import { creditOf, referralCodeOf, referralOf } from './referrals.ts';
import { subscriptionOf } from './subscriptions.ts';
import type { UsageState } from './usage.ts';

/** The fields of a resource, or of a record's state. */
type Fields = Readonly<Record<string, unknown>>;

const unchanged = (state: object): object => state;

/** What tenants see of each kind of record. */
const VIEWS: Readonly<Record<EventObjectType, (state: never) => object | undefined>> = {
  customer: customerOf,
  customer_state: ({ state }: { readonly state?: object }) => state,
  customer_billing_details: ({ projectId: _project, ...details }: BillingDetailsState) => details,
  product: productOf,
  price: priceOf,
  subscription: subscriptionOf,
  invoice: unchanged,
  payment: unchanged,
  referral: referralOf,
  referral_code: referralCodeOf,
  referral_credit: creditOf,
  usage: ({ projectId: _project, ...usage }: UsageState) => usage,
  webhook_endpoint: unchanged,
};

/**
 * Returns the `data` of events for tenants about a record from its state, as it is or as JSON: the views only choose and move
 * fields. Undefined when it was too long for an event.
 */
export const publicDataOf = (object: EventObjectType, state: Fields): Fields | undefined =>
  VIEWS[object](state as never) as Fields | undefined;

/** What tenants see of every record event; the state stays as it is. */
export const publicPart = z.looseObject({ projectId: ProjectId.schema, change: publicChange.optional() });

/** An event for tenants, before it is recorded. */
export interface PublicEventContent {
  readonly projectId: ProjectId;
  readonly type: PublicEventType;
  readonly object: { readonly type: EventObjectType; readonly id: string; readonly sequence: number };
  readonly at: Date;
  readonly cause: EventCause;
  /** As JSON; undefined when it was too long for an event. */
  readonly data: Fields | undefined;
  readonly previousAttributes: Fields | null;
}

/** Returns the events for tenants that a record event is; none when tenants see nothing of the change. */
export function publicEventsOf({ change, ...state }: z.output<typeof publicPart>): PublicEventContent[] {
  if (!change) return [];
  const { types, sequence, at, cause, previousAttributes } = change;
  return types.map((type, index) => {
    const object = objectTypeOf(type);
    const numbered = { type: object, id: idIn(object, state), sequence: sequence - types.length + 1 + index };
    const data = publicDataOf(object, state);
    const previous = index === 0 ? previousAttributes : {};
    return { projectId: state.projectId, type, object: numbered, at, cause, data, previousAttributes: previous };
  });
}

const ID_FIELDS: Readonly<Partial<Record<EventObjectType, string>>> = {
  customer_state: 'customerId',
  customer_billing_details: 'customerId',
  referral_code: 'code',
};

const idIn = (object: EventObjectType, state: Fields): string => String(state[ID_FIELDS[object] ?? 'id']);
