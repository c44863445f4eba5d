import { PROCESSOR_EVENT_OWNERS, type ProcessorEventType } from '@billing/contracts/processor-events';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

/** The service that handles each type. */
const OWNED: Record<'catalog' | 'customers' | 'subscriptions', readonly ProcessorEventType[]> = {
  catalog: [
    'product.created',
    'product.updated',
    'product.deleted',
    'price.created',
    'price.updated',
    'price.deleted',
    'coupon.created',
    'coupon.updated',
    'coupon.deleted',
    'promotion_code.created',
    'promotion_code.updated',
  ],
  customers: [
    'test_helpers.test_clock.deleted',
    'customer.created',
    'customer.updated',
    'customer.deleted',
    'customer.tax_id.created',
    'customer.tax_id.updated',
    'customer.tax_id.deleted',
  ],
  subscriptions: [
    'checkout.session.completed',
    'checkout.session.expired',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'customer.subscription.created',
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.resumed',
    'customer.subscription.trial_will_end',
    'customer.subscription.pending_update_applied',
    'customer.subscription.pending_update_expired',
    'customer.discount.created',
    'customer.discount.updated',
    'customer.discount.deleted',
    'subscription_schedule.updated',
    'subscription_schedule.released',
    'subscription_schedule.canceled',
    'subscription_schedule.completed',
    'subscription_schedule.aborted',
    'invoice.paid',
    'invoice.payment_failed',
    'invoice.payment_action_required',
    'invoice.finalized',
    'invoice.voided',
    'invoice.updated',
    'invoice.marked_uncollectible',
    'invoice.deleted',
    'invoice_payment.paid',
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'payment_intent.amount_capturable_updated',
    'payment_intent.canceled',
    'charge.succeeded',
    'charge.failed',
    'charge.updated',
    'charge.captured',
    'charge.expired',
    'charge.refunded',
    'charge.dispute.created',
    'charge.dispute.updated',
    'charge.dispute.closed',
    'charge.refund.updated',
    'refund.created',
    'refund.updated',
    'refund.failed',
  ],
};
const TYPES = Object.entries(OWNED).flatMap(([owner, types]) => types.map(type => ({ owner, type })));

/** Other types of Stripe, among them similar ones, and words that are special in JavaScript. */
const UNHANDLED = [
  'account.updated',
  'charge.dispute.funds_withdrawn',
  'charge.pending',
  'checkout.session',
  'customer.source.created',
  'customer.subscription.updated.v1',
  'invoice.created',
  'invoice.upcoming',
  'payment_intent.created',
  'payment_method.attached',
  'CUSTOMER.CREATED',
  'record.customer.created.v1',
  'constructor',
  '__proto__',
  'toString',
];

let service: WebhooksService;
let team: Team;

beforeAll(async () => {
  service = await startWebhooks();
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const objectOf = (type: string) => ({ id: `it_of_${type}`, metadata: { projectId: team.projectId } });
/** Under which names a webhook event was published to projects. */
const publishedTypes = (eventId: string) =>
  service.received
    .filter(({ type, data }) => type.startsWith('processor.') && Reflect.get(Object(data), 'eventId') === eventId)
    .map(({ type }) => type);

it('has one owning service for every type it handles, and handles no other', () => {
  expect(Object.fromEntries(TYPES.map(({ type, owner }) => [type, owner]))).toEqual(PROCESSOR_EVENT_OWNERS);
});

it.each(TYPES)('publishes $type once, as $owner consumes it', async ({ type }) => {
  const event = newWebhookEvent(type, objectOf(type));
  expect((await service.send(team, event)).body).toEqual({ received: true });
  const [publication] = await service.waitForPublications(event.id, type);
  expect(publication?.data.projectId).toBe(team.projectId);
  expect(publishedTypes(event.id)).toEqual([`processor.${type}.v1`]);
  expect(await service.recordOf(team, event.id)).toMatchObject({ type, status: 'received' });
});

it('stores every other type as ignored and does not publish it', async () => {
  const ignored = UNHANDLED.map(type => newWebhookEvent(type, objectOf(type)));
  for (const event of ignored) expect((await service.send(team, event)).body).toEqual({ received: true });
  // When a later event is published, the earlier ones would have been, too.
  const last = newWebhookEvent('customer.updated', objectOf('customer.updated'));
  await service.send(team, last);
  await service.waitForPublications(last.id);
  for (const { id, type } of ignored) {
    expect(await service.recordOf(team, id)).toMatchObject({ type, status: 'ignored', projectId: null, attempts: 0 });
    expect(publishedTypes(id)).toEqual([]);
  }
});
