import { z } from 'zod';
import { defineEvent, type EventType } from './event.ts';
import { ProjectId } from './ids.ts';
import type { ServiceName } from './operation.ts';
import { withRawJson } from './raw-json.ts';
import { ROUTED_BY } from './resources/webhook-event.ts';
import { timestamp } from './timestamp.ts';

/**
 * Every handled type of webhook event: its one owning service, which handles the event and reports the outcome, and whether
 * a team's webhook endpoint subscribes to it. Without the optional ones some changes are seen later, or not at all; the rest
 * is handled for endpoints that send everything.
 */
const HANDLED_TYPES = {
  'checkout.session.completed': ['subscriptions', 'required'],
  'checkout.session.expired': ['subscriptions', 'optional'],
  'checkout.session.async_payment_succeeded': ['subscriptions', 'optional'],
  'checkout.session.async_payment_failed': ['subscriptions', 'optional'],
  'test_helpers.test_clock.deleted': ['customers', 'optional'],
  'customer.created': ['customers', 'required'],
  'customer.updated': ['customers', 'required'],
  'customer.deleted': ['customers', 'required'],
  'customer.subscription.created': ['subscriptions', 'required'],
  'customer.subscription.updated': ['subscriptions', 'required'],
  'customer.subscription.deleted': ['subscriptions', 'required'],
  'customer.subscription.paused': ['subscriptions', 'unneeded'],
  'customer.subscription.resumed': ['subscriptions', 'unneeded'],
  'customer.subscription.trial_will_end': ['subscriptions', 'optional'],
  'customer.subscription.pending_update_applied': ['subscriptions', 'optional'],
  'customer.subscription.pending_update_expired': ['subscriptions', 'optional'],
  'subscription_schedule.updated': ['subscriptions', 'optional'],
  'subscription_schedule.released': ['subscriptions', 'optional'],
  'subscription_schedule.canceled': ['subscriptions', 'optional'],
  'subscription_schedule.completed': ['subscriptions', 'optional'],
  'subscription_schedule.aborted': ['subscriptions', 'optional'],
  'customer.tax_id.created': ['customers', 'optional'],
  'customer.tax_id.updated': ['customers', 'optional'],
  'customer.tax_id.deleted': ['customers', 'optional'],
  'customer.discount.created': ['subscriptions', 'optional'],
  'customer.discount.updated': ['subscriptions', 'optional'],
  'customer.discount.deleted': ['subscriptions', 'optional'],
  'invoice.paid': ['subscriptions', 'required'],
  'invoice.payment_failed': ['subscriptions', 'required'],
  'invoice.payment_action_required': ['subscriptions', 'optional'],
  'invoice.finalized': ['subscriptions', 'optional'],
  'invoice.voided': ['subscriptions', 'optional'],
  'invoice.updated': ['subscriptions', 'optional'],
  'invoice.marked_uncollectible': ['subscriptions', 'optional'],
  'invoice.deleted': ['subscriptions', 'optional'],
  'invoice_payment.paid': ['subscriptions', 'optional'],
  'payment_intent.succeeded': ['subscriptions', 'required'],
  'payment_intent.payment_failed': ['subscriptions', 'required'],
  'payment_intent.amount_capturable_updated': ['subscriptions', 'optional'],
  'payment_intent.canceled': ['subscriptions', 'optional'],
  'charge.succeeded': ['subscriptions', 'required'],
  'charge.failed': ['subscriptions', 'required'],
  'charge.updated': ['subscriptions', 'unneeded'],
  'charge.captured': ['subscriptions', 'optional'],
  'charge.expired': ['subscriptions', 'optional'],
  'charge.refunded': ['subscriptions', 'optional'],
  'charge.dispute.created': ['subscriptions', 'optional'],
  'charge.dispute.updated': ['subscriptions', 'optional'],
  'charge.dispute.closed': ['subscriptions', 'optional'],
  'charge.refund.updated': ['subscriptions', 'unneeded'],
  'refund.created': ['subscriptions', 'unneeded'],
  'refund.updated': ['subscriptions', 'optional'],
  'refund.failed': ['subscriptions', 'optional'],
  'product.created': ['catalog', 'required'],
  'product.updated': ['catalog', 'required'],
  'product.deleted': ['catalog', 'optional'],
  'price.created': ['catalog', 'required'],
  'price.updated': ['catalog', 'required'],
  'price.deleted': ['catalog', 'optional'],
  'coupon.created': ['catalog', 'optional'],
  'coupon.updated': ['catalog', 'optional'],
  'coupon.deleted': ['catalog', 'optional'],
  'promotion_code.created': ['catalog', 'optional'],
  'promotion_code.updated': ['catalog', 'optional'],
} as const satisfies Record<string, readonly [ServiceName, 'required' | 'optional' | 'unneeded']>;

export type ProcessorEventType = keyof typeof HANDLED_TYPES;

const handledTypes = Object.keys(HANDLED_TYPES) as ProcessorEventType[]; // an object's keys are typed as string

/** The owning service of each handled type. */
export const PROCESSOR_EVENT_OWNERS = Object.fromEntries(
  handledTypes.map(type => [type, HANDLED_TYPES[type][0]]),
) as Readonly<Record<ProcessorEventType, ServiceName>>; // has every type

/** The event types that a team's webhook endpoint must subscribe to. */
export const ENDPOINT_EVENT_TYPES = handledTypes.filter(type => HANDLED_TYPES[type][1] === 'required');

/** Types that an endpoint may subscribe to as well. */
export const OPTIONAL_EVENT_TYPES = handledTypes.filter(type => HANDLED_TYPES[type][1] === 'optional');

/** The kinds of objects that the handled types carry: `customer.subscription` for `customer.subscription.created`. */
export type ProcessorObject = ObjectOf<ProcessorEventType>;
type ObjectOf<Type extends string> = Type extends `${infer Left}.${infer Middle}.${string}`
  ? `${Left}.${Middle}`
  : Type extends `${infer Only}.${string}`
    ? Only
    : never;

/** The kind of object that an event of the type carries. */
export const processorObjectOf = (type: ProcessorEventType): ProcessorObject =>
  type.slice(0, type.lastIndexOf('.')) as ProcessorObject; // the same part of the name, before the last dot

export function isHandled(type: string): type is ProcessorEventType {
  return Object.hasOwn(PROCESSOR_EVENT_OWNERS, type);
}

/** JSON.parse made it: checking every field again would find nothing. */
const jsonObject = z.custom<Record<string, unknown>>(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const processorEventData = z.object({
  /** The processor's event id (`evt_…`). */
  eventId: z.string(),
  projectId: ProjectId.schema,
  apiVersion: z.string().nullable(),
  livemode: z.boolean(),
  /** The event's `created` at the processor, in whole seconds. */
  createdAt: timestamp,
  routedBy: z.enum(ROUTED_BY),
  /** The processor's object, unchanged; its shape depends on `apiVersion`. */
  object: jsonObject,
  previousAttributes: jsonObject.nullable(),
  /**
   * True when the object is too large for the bus: `object` then has no more than its `id`. `FindWebhookEventObject` returns
   * the rest, and a consumer reads it before its handlers run.
   */
  objectOmitted: z.literal(true).optional(),
  /**
   * True for what a sync read of an object, in place of an event: `createdAt` is the time of the read by the processor's
   * clock, and a handler records an object that it does not know.
   */
  fromSync: z.literal(true).optional(),
  /** How often the event was replayed, if ever: handling it replaces the dead letters of before. */
  replays: z.int().optional(),
});
export type ProcessorEventData = z.output<typeof processorEventData>;

/** What an event that omits its object leaves out. */
export const omittedObject = processorEventData.pick({ object: true, previousAttributes: true });
export type OmittedObject = z.output<typeof omittedObject>;

/** The domain event for a webhook event that is routed to a project: `processor.<type>.v1`. */
export const processorEvent = (type: ProcessorEventType): EventType<typeof processorEventData> =>
  defineEvent(`processor.${type}.v1`, processorEventData);

/** An event's data in JSON. The object and the previous attributes are JSON already and go in as they are. */
export function processorEventJson(
  { createdAt, ...head }: Omit<ProcessorEventData, 'object' | 'previousAttributes'>,
  object: string,
  previousAttributes: string | null,
): string {
  const fields = { ...head, createdAt: createdAt.toISOString() };
  return withRawJson(fields, { object, previousAttributes: previousAttributes ?? 'null' });
}

export const completion = z.object({
  eventId: z.string(),
  projectId: ProjectId.schema,
  /** As the webhook event itself said. */
  routedBy: z.enum(ROUTED_BY),
  outcome: z.enum(['processed', 'failed']),
  error: z.string().nullable(),
  attempts: z.int(),
});
export type Completion = z.output<typeof completion>;

/** The outcomes of webhook events, reported by the owning service; only then is an event `processed` or `failed`. */
export const ProcessorEventCompleted = defineEvent(
  'processor-event.completed.v1',
  z.object({ completions: z.array(completion).min(1) }),
);
