import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { newCustomer, newTenant, saveCard } from '../system/tenant.ts';

const DAY_MS = 86_400_000;

it('bills usage by a metered price that was made and sold without the processor’s dashboard', async () => {
  const tenant = await newTenant();
  const { billing, processor } = tenant;
  const { id: productId } = await billing.products.create({ name: 'API' });
  const price = await billing.prices.create({
    productId,
    unitAmount: 5,
    currency: 'usd',
    interval: 'month',
    meter: 'api_calls',
  });
  expect(price).toMatchObject({ meter: 'api_calls', usageType: 'metered', unitAmount: null, unitAmountDecimal: '5' });
  const customerId = await newCustomer(tenant);
  await saveCard(tenant, customerId);
  const sold = await billing.checkout.create({ customerId, items: [{ priceId: price.id }], collect: 'saved' });
  expect(sold).toMatchObject({ subscription: { status: 'active' } });

  const events = [30, 12].map((value, index) => ({ id: `call-${index}`, customerId, meter: 'api_calls', value }));
  expect(await billing.usage.record({ events })).toEqual({ accepted: 2, duplicates: 0 });
  expect(await billing.usage.record({ events })).toEqual({ accepted: 0, duplicates: 2 });
  const wanted = { id: 'call-2', customerId, meter: 'no_such_meter', value: 1 };
  await billing.usage.record({ events: [wanted] });
  const countOf = async (status: 'sent' | 'rejected') =>
    (await billing.usage.list({ status, customerId }).page()).items.length;
  await waitFor(async () => (await countOf('sent')) === 2, { what: 'the usage to be sent' });
  await waitFor(async () => (await countOf('rejected')) === 1, {
    what: 'the usage of an unknown meter to be rejected',
  });
  const span = { start: new Date(Date.now() - DAY_MS), end: new Date(Date.now() + 60_000) };
  const times = { start: span.start.toISOString(), end: span.end.toISOString() };
  expect(await billing.usage.sumUp(customerId, { meter: 'api_calls', ...times })).toMatchObject([{ value: 42 }]);
  const rejected = await waitFor(
    async () => (await billing.events.list({ types: ['usage.rejected'] }).page()).items[0],
    { what: 'the event of the rejection' },
  );
  expect(rejected).toMatchObject({
    object: { type: 'usage', id: 'call-2' },
    data: { status: 'rejected', customerId, meter: 'no_such_meter' },
  });

  await processor.advanceClock(32 * 86_400);
  await drain(tenant);
  const invoices = await billing.invoices.list({ customerId }).page();
  expect(invoices.items.map(({ status, total }) => ({ status, total }))).toEqual([
    { status: 'paid', total: 42 * 5 },
    { status: 'paid', total: 0 },
  ]);
});
