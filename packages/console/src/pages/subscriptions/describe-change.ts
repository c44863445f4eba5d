import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';

/** What an event says about a subscription, an invoice or a payment, and who caused it. */
interface Change {
  readonly text: string;
  readonly by: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, string>> = {
  created: 'Created',
  deleted: 'Ended',
  updated: 'Changed',
  paused: 'Paused: the trial ended without a payment method',
  resumed: 'Goes on after a pause',
  trial_will_end: 'The trial ends soon',
  pending_update_applied: 'A change that waited for a payment took effect',
  pending_update_expired: 'A change that waited for a payment expired',
  'invoice.created': 'Created',
  'invoice.finalized': 'Finalized: it can be paid',
  'invoice.updated': 'Changed',
  'invoice.sent': 'Sent to the customer',
  'invoice.payment_failed': 'A payment failed',
  'invoice.payment_action_required': 'The bank wants the customer to confirm the payment',
  'invoice.payment_succeeded': 'A payment succeeded',
  'invoice.paid': 'Paid',
  'invoice.voided': 'Voided',
  'invoice.marked_uncollectible': 'Marked as uncollectible',
  'payment_intent.created': 'Started',
  'payment_intent.payment_failed': 'An attempt failed',
  'payment_intent.requires_action': 'The bank wants the customer to confirm the payment',
  'payment_intent.succeeded': 'Succeeded',
  'payment_intent.canceled': 'Canceled',
};

/** What Stripe writes along with other changes. */
const FOLLOWS: ReadonlySet<string> = new Set([
  'billing_cycle_anchor',
  'cancel_at',
  'canceled_at',
  'cancellation_details',
  'current_period_end',
  'current_period_start',
  'items',
  'latest_invoice',
  'plan',
  'quantity',
]);

/** Whether what Stripe sent says more about an event than its type does. */
export const saysMore = (type: string): boolean =>
  type.startsWith('customer.subscription.') || type === 'payment_intent.payment_failed';

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {}); // any object has fields

/**
 * Tells a change from a webhook event: its type, and of an update the fields that were others before
 * (https://docs.stripe.com/api/events/object, `previous_attributes`). The payload is null once it was deleted.
 */
export function describeChange(type: string, payload: Fields | null): Change {
  const kind = type.replace(/^customer\.subscription\./, '');
  const { object, previous_attributes: previous } = fieldsOf(payload?.['data']);
  const parts = kind === 'updated' ? [...changesOf(fieldsOf(object), fieldsOf(previous))] : [];
  const why = fieldsOf(fieldsOf(object)['last_payment_error'])['message'];
  if (type === 'payment_intent.payment_failed' && typeof why === 'string') parts.push(`An attempt failed: ${why}`);
  return { text: parts.length > 0 ? parts.join(', ') : (TYPES[kind] ?? type), by: causeOf(kind, payload) };
}

function changesOf(object: Fields, previous: Fields): readonly string[] {
  const has = (name: string) => Object.hasOwn(previous, name);
  const parts: string[] = [];
  if (has('status')) parts.push(`${nameOf(previous['status'])} → ${nameOf(object['status'])}`);
  if (has('cancel_at_period_end') || has('cancel_at'))
    parts.push(object['cancel_at_period_end'] || object['cancel_at'] ? 'Set to end' : 'Goes on again');
  const [before, after] = [soldIn(previous['items']), soldIn(object['items'])];
  if (has('items') && before !== after) parts.push('Other items');
  else if (has('quantity')) parts.push(`Quantity ${String(previous['quantity'])} → ${String(object['quantity'])}`);
  else if (has('latest_invoice') && (has('items') || has('current_period_start'))) parts.push('A new period began');
  if (has('pending_update'))
    parts.push(object['pending_update'] ? 'A change waits for its payment' : 'No change waits for a payment');
  if (has('schedule')) parts.push(object['schedule'] ? 'A change is scheduled' : 'No change is scheduled');
  if (has('discounts')) parts.push('Other discounts');
  if (has('pause_collection')) parts.push(object['pause_collection'] ? 'Payments paused' : 'Payments go on');
  if (has('trial_end')) parts.push('Other end of the trial');
  if (has('default_payment_method')) parts.push('Other payment method');
  if (has('metadata')) parts.push('Other metadata');
  const rest = Object.keys(previous).filter(name => !FOLLOWS.has(name));
  return parts.length === 0 && rest.length > 0 ? [`Changed: ${rest.join(', ')}`] : parts;
}

const nameOf = (status: unknown): string =>
  SUBSCRIPTION_STATUS[status as keyof typeof SUBSCRIPTION_STATUS]?.name ?? String(status); // Stripe may add statuses

/** Prices and quantities of items, to compare. */
function soldIn(items: unknown): string {
  const { data } = fieldsOf(items);
  return JSON.stringify(
    (Array.isArray(data) ? data : []).map(item => [
      fieldsOf(fieldsOf(item)['price'])['id'],
      fieldsOf(item)['quantity'],
    ]),
  );
}

/** Who caused an event: requests of this service have keys that begin with its name. */
function causeOf(kind: string, payload: Fields | null): string | null {
  if (payload === null) return null;
  const { id, idempotency_key: key } = fieldsOf(payload['request']);
  if (typeof key === 'string' && key.startsWith('billing:')) return 'by this service';
  if (!id) return 'by Stripe or the customer';
  // Stripe takes no key with what deletes.
  return kind === 'deleted' ? 'by a request, here or in Stripe' : 'in Stripe, by a person or an API key';
}
