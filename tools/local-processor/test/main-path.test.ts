import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { startReceiver, waitUntil } from './receiver.ts';
import { openCheckout, press } from './checkout-fixtures.ts';

test('sends signed events for everything that a payment creates', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const stripe = connect(processor);
  const endpoint = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] });
  const { session, customer, price } = await openCheckout(stripe, {
    metadata: { order: '1' },
    subscription_data: { metadata: { projectId: 'proj_1' } },
  });

  const response = await press(session, 'pay');

  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(`http://localhost:9/done?session=${session.id}`);
  await waitUntil(() => receiver.types().includes('checkout.session.completed'));
  expect(receiver.types().toSorted()).toEqual(
    [
      'charge.succeeded',
      'checkout.session.completed',
      'customer.created',
      'customer.subscription.created',
      'customer.updated',
      'invoice.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'invoice.updated',
      'invoice_payment.paid',
      'payment_intent.created',
      'payment_intent.succeeded',
      'payment_method.attached',
      'price.created',
      'product.created',
    ].toSorted(),
  );
  for (const { body, signature } of receiver.received)
    expect(stripe.webhooks.constructEvent(body, signature, endpoint.secret ?? '').api_version).toBe(
      '2026-10-28.endive',
    );
  const complete = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'line_items'] });
  expect(complete).toMatchObject({ status: 'complete', payment_status: 'paid', customer: customer.id });
  expect(complete.line_items?.data[0]?.price?.id).toBe(price.id);
  expect(complete.subscription).toMatchObject({ status: 'active', metadata: { projectId: 'proj_1' } });
});
