import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSale } from './start-sale.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with a customer, and the preview of a sale to it. */
async function startPreview(card: string | null = 'pm_card_visa') {
  const sale = await startSale(service, { card });
  const preview = (body: object) =>
    service.call('POST', '/checkout/preview', {
      of: sale.scope,
      body: { customerId: sale.customer.id, collect: 'saved', ...body },
    });
  return { ...sale, preview };
}

it('previews to the cent what is sold then, with what is billed once and less what the balance has', async () => {
  const { sell, preview, price, newPrice, customer, sold } = await startPreview();
  const { price: setup } = await newPrice({ recurring: false, unitAmount: 4_900 });
  await service.account.dashboard.customers.createBalanceTransaction(customer.processorCustomerId, {
    amount: -700,
    currency: 'usd',
  });
  const items = [{ priceId: price.id, quantity: 3 }, { priceId: setup.id }];
  const { status, body } = await preview({ items });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      preview: { total: 3 * 2_999 + 4_900, creditApplied: 700, amountDue: 3 * 2_999 + 4_200, currency: 'usd' },
    },
  });
  expect(body.preview.lines.map(({ priceId }: { priceId: string }) => priceId).toSorted()).toEqual(
    [price.id, setup.id].toSorted(),
  );
  expect(await sold()).toEqual([]);
  const made = await sell({ items, expectedAmountDue: body.preview.amountDue });
  expect(made).toMatchObject({ status: 201, body: { invoice: { status: 'paid', total: body.preview.total } } });
});

it('previews whatever is to collect it, and nothing due in a trial', async () => {
  const { preview, price } = await startPreview(null);
  const due = async (body: object) => (await preview({ priceId: price.id, ...body })).body.preview.amountDue;
  expect([await due({}), await due({ collect: 'invoice' }), await due({ collect: 'nothing' })]).toEqual([
    2_999, 2_999, 2_999,
  ]);
  expect(await due({ trialDays: 14 })).toBe(0);
});

it('refuses what would not be sold, and a page, which says itself what is due', async () => {
  const { preview, sell, price } = await startPreview();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  expect(await preview({ priceId: price.id, collect: 'page', ...urls })).toMatchObject({
    status: 400,
    body: { error: { code: 'validation_error', details: { fields: [{ path: 'collect' }] } } },
  });
  expect((await sell({})).status).toBe(201);
  expect(await preview({ priceId: price.id, oncePerCustomer: true })).toMatchObject({
    status: 409,
    body: { error: { code: 'already_subscribed' } },
  });
});
