import type { z } from 'zod';
import { exampleOf } from '../example.ts';
import { objectTypeOf, type EventObjectType, type PublicEventType } from '../event-types.ts';
import { billingDetails } from './billing-details.ts';
import { customerState } from './customer-state.ts';
import { customer } from './customer.ts';
import { event } from './event.ts';
import { invoiceState } from './invoice.ts';
import { payment } from './payment.ts';
import { price } from './price.ts';
import { product } from './product.ts';
import { referral, referralCode, referralCredit } from './referral.ts';
import { subscription } from './subscription.ts';
import { usage } from './usage.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** What the `data` of an event are, by what it is about. */
export const EVENT_DATA = {
  customer,
  product,
  price,
  subscription,
  invoice: invoiceState,
  payment,
  referral,
  referral_code: referralCode,
  referral_credit: referralCredit
    .pick({ id: true, referralId: true, customerId: true, amount: true, currency: true, status: true })
    .meta({ description: 'A credit of a referral.', example: { amount: 500, status: 'credited' } }),
  usage,
  webhook_endpoint: webhookEndpoint,
  customer_state: customerState
    .omit({ checkout: true })
    .meta({ description: 'What a customer may use, and how far he has paid.' }),
  customer_billing_details: billingDetails,
} as const satisfies Readonly<Record<EventObjectType, z.ZodObject>>;

type Fields = Readonly<Record<string, unknown>>;

/** What an example differs in from that of its resource. */
interface Difference {
  readonly data?: Fields;
  /** What the fields that changed were before; none for the first event of an object. */
  readonly previous?: Fields;
}

const UNPAID = { amountPaid: 0, amountRemaining: 2999, paidAt: null };
const WITHOUT_PAGES = { number: null, hostedInvoiceUrl: null, invoicePdfUrl: null };
const ENDED_AT = '2026-03-02T09:31:12.000Z';

const DIFFERENCES: Readonly<Partial<Record<PublicEventType | 'ping', Difference>>> = {
  'customer.updated': { previous: { name: 'Ada King' } },
  'customer.deleted': { data: { email: null, name: undefined, externalId: undefined, metadata: {} }, previous: {} },
  'product.updated': { previous: { name: 'Starter' } },
  'product.deleted': { previous: {} },
  'price.updated': { previous: { isActive: false } },
  'price.deleted': { previous: {} },
  'subscription.updated': { previous: { status: 'past_due' } },
  'subscription.canceled': {
    data: { status: 'canceled', canceledAt: ENDED_AT, endedAt: ENDED_AT },
    previous: { status: 'active', canceledAt: null, endedAt: null },
  },
  'subscription.trial_ending': { data: { status: 'trialing', trialEnd: '2026-03-05T09:30:00.000Z' }, previous: {} },
  'invoice.created': { data: { status: 'draft', ...UNPAID, ...WITHOUT_PAGES } },
  'invoice.updated': { data: { status: 'open', ...UNPAID }, previous: { dueDate: '2026-03-09T09:30:00.000Z' } },
  'invoice.finalized': { data: { status: 'open', ...UNPAID }, previous: { status: 'draft', ...WITHOUT_PAGES } },
  'invoice.paid': { previous: { status: 'open', ...UNPAID } },
  'invoice.voided': { data: { status: 'void', ...UNPAID }, previous: { status: 'open' } },
  'invoice.uncollectible': { data: { status: 'uncollectible', ...UNPAID }, previous: { status: 'open' } },
  'payment.succeeded': { data: { status: 'succeeded', amountRefunded: 0 } },
  'payment.failed': {
    data: {
      status: 'failed',
      amountRefunded: 0,
      failureCode: 'card_declined',
      failureMessage: 'Your card was declined.',
    },
  },
  'payment.refunded': { previous: { status: 'succeeded', amountRefunded: 0 } },
  'payment.disputed': { data: { status: 'disputed', amountRefunded: 0 }, previous: { status: 'succeeded' } },
  'payment.dispute_won': { data: { status: 'succeeded', amountRefunded: 0 }, previous: { status: 'disputed' } },
  'payment.dispute_lost': { data: { status: 'dispute_lost', amountRefunded: 0 }, previous: { status: 'disputed' } },
  'payment.updated': { data: { status: 'succeeded', amountRefunded: 0 }, previous: { processorChargeId: null } },
  'referral.created': { data: { status: 'pending', convertedAt: null } },
  'referral.converted': { previous: { status: 'pending', convertedAt: null } },
  'referral_code.deactivated': { data: { isActive: false }, previous: { isActive: true } },
  'referral_credit.failed': { data: { status: 'failed' } },
  'usage.rejected': { previous: { status: 'sent', reason: null } },
  'customer.billing_details_updated': { previous: { businessName: null } },
  'customer.state_changed': { previous: { entitlements: {} } },
  'webhook_endpoint.disabled': {
    data: { status: 'disabled', disabledReason: 'gone', failingSince: ENDED_AT },
  },
};

/** Returns an example of an event as JSON: what the API reference has, and what a test sends. */
export function eventExample(type: PublicEventType | 'ping'): Fields {
  const objectType = type === 'ping' ? 'webhook_endpoint' : objectTypeOf(type);
  const { data: changed, previous = null } = DIFFERENCES[type] ?? {};
  const resource = { ...(exampleOf(EVENT_DATA[objectType]) as Fields), ...changed }; // an object's example is one
  const data = Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== undefined));
  return {
    ...(exampleOf(event) as Fields), // likewise
    type,
    object: { type: objectType, id: idOf(objectType, data), sequence: previous ? 7 : 1 },
    data,
    previousAttributes: previous,
    ...(type === 'ping' && { test: true }),
  };
}

/** Returns the id of an event's object: of a referral code the code. */
function idOf(type: EventObjectType, data: Fields): unknown {
  if (type === 'customer_state') return Object(data['customer']).id;
  if (type === 'customer_billing_details') return data['customerId'];
  return data[type === 'referral_code' ? 'code' : 'id'];
}
