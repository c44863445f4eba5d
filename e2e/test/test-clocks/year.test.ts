import { expect, it } from 'vitest';
import { newClock, openProject, sell, whenReady } from './clocks.ts';

it('renews a monthly plan twelve times in one call, with every webhook lost', async () => {
  const { tenant, priceId } = await openProject();
  const { billing, processor } = tenant;
  const { clock, customer } = await newClock(tenant);
  const subscription = await sell(tenant, customer.id, priceId);
  await processor.setDeliveryRules({ dropNext: 1_000_000 });

  const advancing = await billing.testClocks.advance(clock.id, { to: '2031-01-31T13:00:00.000Z' });
  expect(advancing).toMatchObject({ status: 'advancing', target: '2031-01-31T13:00:00.000Z' });
  const ready = await whenReady(tenant, clock.id);

  expect(ready).toMatchObject({ now: '2031-01-31T13:00:00.000Z', target: null, customerIds: [customer.id] });
  const { items: invoices } = await billing.invoices.list({ customerId: customer.id, limit: 100 }).page();
  expect(invoices.map(({ status, amountPaid }) => [status, amountPaid])).toEqual(
    Array.from({ length: 13 }, () => ['paid', 2_999]),
  );
  const { items: payments } = await billing.payments.list({ customerId: customer.id, limit: 100 }).page();
  expect(payments.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 'succeeded'));
  expect(await billing.subscriptions.get(subscription.id)).toMatchObject({
    status: 'active',
    currentPeriodStart: '2031-01-31T12:00:00.000Z',
  });
});
