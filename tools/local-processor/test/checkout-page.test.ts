import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf, openCheckout, press } from './checkout-fixtures.ts';

test('shows items, price and interval, without card fields and scripts', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session } = await openCheckout(stripe, { subscription_data: { trial_period_days: 14 } });
  const response = await fetch(session.url ?? '');
  const page = await response.text();
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  for (const text of ['Pro × 1', '$29.99 per month', 'free for 14 days', '4242', 'ada@example.com', '$0.00'])
    expect(page).toContain(text);
  expect(page).toContain('http://localhost:9/back');
  expect(page).not.toContain('<script');
  expect(page).not.toContain('<input');
});

test('renders names in any writing system as PDF', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer, price } = await openCheckout(stripe);
  await stripe.customers.update(customer.id, { name: '山田 太郎 🎉' });
  await stripe.products.update(idOf(price.product), { name: 'Тариф «Про»' });
  await press(session, 'pay');
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data;
  expect((await fetch(invoice?.invoice_pdf ?? '')).status).toBe(200);
});

test('escapes HTML in names and URLs', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer } = await createCustomerAndPrice(stripe);
  const product = await stripe.products.create({ name: '<img src=x onerror=alert(1)>"\'&' });
  const price = await stripe.prices.create({ product: product.id, currency: 'jpy', unit_amount: 1200 });
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://example.com/?a="><b>',
    cancel_url: 'https://example.com/?a="><b>',
  });
  const page = await (await fetch(session.url ?? '')).text();
  expect(page).not.toContain('<img');
  expect(page).not.toContain('"><b>');
  expect(page).toContain('¥1,200');
});

test('rejects an unknown form action without a change', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session } = await openCheckout(stripe);
  const response = await fetch(session.url ?? '', { method: 'POST', body: new URLSearchParams({ action: 'steal' }) });
  expect(response.status).toBe(400);
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' });
});

test('returns 410 for a second payment and creates nothing twice', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');
  expect((await press(session, 'pay')).status).toBe(410);
  expect((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data).toHaveLength(1);
});

test('shows an embedded session in a frame of any page, by its client secret alone', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    ui_mode: 'embedded_page',
    return_url: 'https://example.com/done',
  });
  const framed = await fetch(`${processor.url}/c/pay/${session.client_secret}`);
  expect([framed.status, framed.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining('frame-ancestors *'),
  ]);
  expect((await fetch(`${processor.url}/c/pay/${session.id}`)).status).toBe(404);
  expect(await (await fetch(`${processor.url}/stripe.js`)).text()).toContain('createEmbeddedCheckoutPage');
});

test('returns 404 for an unknown session', async () => {
  await using processor = await startProcessor();
  expect((await fetch(`${processor.url}/c/pay/cs_test_none`)).status).toBe(404);
});

test('serves invoices as a page and as a PDF', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data;
  const page = await (await fetch(invoice?.hosted_invoice_url ?? '')).text();
  expect(page).toContain(invoice?.number);
  const pdf = await fetch(invoice?.invoice_pdf ?? '');
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  expect(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  expect((await fetch(`${processor.url}/i/acct_1none/in_1none/pdf`)).status).toBe(404);
});
