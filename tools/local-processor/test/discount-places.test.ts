import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { invoiceOf, startOnClock } from './change-fixtures.ts';
import { freshKey, startProcessor } from './processor.ts';

test('takes off the amount of the currency, which is shown when expanded, and none of another', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, product } = await startOnClock(processor, '2026-04-01');
  const { id: other } = await stripe.customers.create({ email: 'eve@example.com' });
  const currency_options = { eur: { amount_off: 450 } };
  const coupon = await stripe.coupons.create({
    amount_off: 500,
    currency: 'usd',
    currency_options,
    duration: 'forever',
  });
  expect(coupon).not.toHaveProperty('currency_options');
  const restrictions = {
    minimum_amount: 1_000,
    minimum_amount_currency: 'usd',
    currency_options: { eur: { minimum_amount: 900 } },
  };
  const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, restrictions });
  expect(code.restrictions).not.toHaveProperty('currency_options');
  await stripe.coupons.update(coupon.id, { currency_options: { gbp: { amount_off: 400 } } });
  const [whole, wholeCode] = [
    await stripe.coupons.retrieve(coupon.id, { expand: ['currency_options'] }),
    await stripe.promotionCodes.retrieve(code.id, { expand: ['restrictions.currency_options'] }),
  ];
  const usd = { amount_off: 500 };
  expect(whole.currency_options).toEqual({ usd, ...currency_options, gbp: { amount_off: 400 } });
  expect(wholeCode.restrictions.currency_options).toEqual({
    usd: { minimum_amount: 1_000 },
    eur: { minimum_amount: 900 },
  });
  const subscribe = (currency: string, unit_amount: number) => {
    const price_data = { currency, unit_amount, product: product.id, recurring: { interval: 'month' as const } };
    return stripe.prices.create(price_data).then(({ id }) =>
      stripe.subscriptions.create({
        customer: currency === 'usd' ? customer.id : other,
        collection_method: 'send_invoice',
        days_until_due: 7,
        items: [{ price: id }],
        discounts: [{ promotion_code: code.id }],
        expand: ['latest_invoice'],
      }),
    );
  };
  expect(invoiceOf(await subscribe('eur', 900)).total).toBe(450);
  await expect(subscribe('eur', 899)).rejects.toThrow(/minimum amount/);
  await expect(subscribe('chf', 2_000)).rejects.toMatchObject({ statusCode: 400 });
});

test('bills an item with its discount first, and a customer’s discount only without one of the subscription', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const control = new LocalProcessorControl(processor.url, key);
  const account = await startOnClock(processor, '2026-04-01', { amount: 2_000, key });
  const { stripe, item, customer } = account;
  const [five, half, tenth] = await Promise.all([
    stripe.coupons.create({ amount_off: 500, currency: 'usd', duration: 'forever' }),
    stripe.coupons.create({ percent_off: 50, duration: 'forever' }),
    stripe.coupons.create({ percent_off: 10, duration: 'forever' }),
  ]);
  await account.change({ items: [{ id: item, discounts: [{ coupon: five.id }] }] });
  const expand = ['discounts.source.coupon.applies_to'];
  expect((await stripe.subscriptionItems.retrieve(item, { expand })).discounts).toMatchObject([
    { subscription_item: item, source: { coupon: { id: five.id } } },
  ]);
  expect((await account.preview({})).total).toBe(1_500);
  const discount = await control.discountCustomer(customer.id, half.id);
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ discount: { id: discount?.id } });
  expect((await account.preview({})).total).toBe(750);
  await account.change({ discounts: [{ coupon: tenth.id }] });
  expect((await account.preview({})).total).toBe(1_350);
  await account.change({ discounts: '' });
  await account.change({ items: [{ id: item, discounts: '' }] });
  expect((await account.preview({})).total).toBe(1_000);
  await control.discountCustomer(customer.id, null);
  expect((await account.preview({})).total).toBe(2_000);
  const { data } = await stripe.events.list({ limit: 100 });
  for (const type of ['customer.discount.created', 'customer.discount.deleted'])
    expect(data.filter(event => event.type === type)).toHaveLength(3);
});
