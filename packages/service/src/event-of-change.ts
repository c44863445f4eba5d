import { isDeepStrictEqual } from 'node:util';
import type { EventObjectType, PublicEventType } from '@billing/contracts/event-types';

/** A resource as JSON. */
export type Resource = Readonly<Record<string, unknown>>;

/** A change of a resource: its state after it, and before it unless it is new. */
interface ResourceChange {
  readonly resource: Resource;
  readonly previous: Resource | null;
}

/** They change with every change, so they say nothing. */
const TIMES = ['updatedAt', 'asOf'] as const;

/**
 * Returns what the top-level fields that changed were before, an absent one as null; null for the first event of a resource,
 * and nothing at all when nothing changed but its time.
 */
export function previousAttributes({ resource, previous }: ResourceChange): Resource | null | undefined {
  if (!previous) return null;
  const names = new Set([...Object.keys(previous), ...Object.keys(resource)]);
  for (const time of TIMES) names.delete(time);
  const changed = [...names].filter(name => !isDeepStrictEqual(previous[name] ?? null, resource[name] ?? null));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(name => [name, previous[name] ?? null]));
}

const INVOICE_TYPES = {
  draft: 'invoice.updated',
  open: 'invoice.finalized',
  paid: 'invoice.paid',
  void: 'invoice.voided',
  uncollectible: 'invoice.uncollectible',
} as const;

/** What a resource is before its first events, where a later state has an event of its own. */
const BEGINS_AS: Readonly<Partial<Record<EventObjectType, Resource>>> = {
  subscription: { status: 'incomplete' },
  invoice: { status: 'draft' },
};

/**
 * Returns the types of the events that a change of a resource is, one for each: a resource that is first seen in a later state
 * gives the event of that state too, whoever waits for that. `isDeleted` as its service says.
 */
export function typesOfChange(
  object: EventObjectType,
  change: ResourceChange,
  options?: { readonly isDeleted?: boolean },
): PublicEventType[] {
  const type = typeOfChange(object, change, options);
  if (object === 'payment' && hasTakenMoney(change)) {
    const isOwnEvent = type !== 'payment.succeeded' && type !== 'payment.updated';
    return ['payment.succeeded', ...(isOwnEvent ? [type] : [])];
  }
  const previous = change.previous ? undefined : BEGINS_AS[object];
  if (!previous) return [type];
  const next = typeOfChange(object, { ...change, previous });
  return next.endsWith('.updated') ? [type] : [type, next];
}

function typeOfChange(
  object: EventObjectType,
  { resource, previous }: ResourceChange,
  { isDeleted = false }: { readonly isDeleted?: boolean } = {},
): PublicEventType {
  const [before, after] = [previous?.['status'], resource['status']];
  const hasNewStatus = before !== after;
  switch (object) {
    case 'customer':
    case 'product':
    case 'price':
      return isDeleted ? `${object}.deleted` : previous ? `${object}.updated` : `${object}.created`;
    case 'subscription':
      if (!previous) return 'subscription.created';
      return hasNewStatus && after === 'canceled' ? 'subscription.canceled' : 'subscription.updated';
    case 'invoice':
      if (!previous) return 'invoice.created';
      return hasNewStatus ? INVOICE_TYPES[after as keyof typeof INVOICE_TYPES] : 'invoice.updated';
    case 'payment':
      return typeOfPayment({ resource, previous });
    case 'referral':
      return previous ? 'referral.converted' : 'referral.created';
    case 'referral_code':
      return previous ? 'referral_code.deactivated' : 'referral_code.created';
    case 'referral_credit':
      return after === 'failed' ? 'referral_credit.failed' : 'referral_credit.credited';
    case 'usage':
      return 'usage.rejected';
    case 'webhook_endpoint':
      return 'webhook_endpoint.disabled';
    case 'customer_state':
      return 'customer.state_changed';
    case 'customer_billing_details':
      return 'customer.billing_details_updated';
    default:
      return object satisfies never;
  }
}

function typeOfPayment({ resource, previous }: ResourceChange): PublicEventType {
  const [before, after] = [previous?.['status'], resource['status']];
  if (after === 'disputed' && before !== after) return 'payment.disputed';
  if (after === 'dispute_lost' && before !== after) return 'payment.dispute_lost';
  if (before === 'disputed' && TOOK_MONEY.has(after)) return 'payment.dispute_won';
  const refunded = (it: Resource | null) => Number(it?.['amountRefunded'] ?? 0);
  if (refunded(resource) > refunded(previous)) return 'payment.refunded';
  const charge = (it: Resource | null) => it?.['processorChargeId'] ?? null;
  const isNextAttempt = charge(previous) !== null && charge(resource) !== charge(previous);
  if (after === 'failed' && (before !== after || isNextAttempt)) return 'payment.failed';
  return 'payment.updated';
}

/** Whether a payment has taken money that had not before, whatever has become of it since. */
function hasTakenMoney({ resource, previous }: ResourceChange): boolean {
  const after = resource['status'];
  return BEFORE_SUCCESS.has(previous?.['status']) && (TOOK_MONEY.has(after) || QUESTIONED.has(after));
}

const QUESTIONED: ReadonlySet<unknown> = new Set(['inquiry', 'disputed', 'dispute_lost']);
const TOOK_MONEY: ReadonlySet<unknown> = new Set(['succeeded', 'partially_refunded', 'refunded']);
/** A refund that fails, and an inquiry that is closed, leave a payment that had succeeded. */
const BEFORE_SUCCESS: ReadonlySet<unknown> = new Set([undefined, 'failed', 'requires_capture', 'canceled']);
