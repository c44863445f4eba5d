import { expect, it } from 'vitest';
import { SubscriptionId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { aSubscription, anInvoice } from './billing-samples.ts';
import { textOf } from './page-text.ts';
import { startService, type Service } from './start-service.ts';

it('shows subscriptions, invoices and the payment method in one page', async () => {
  await using service = await startService();
  const { subscriptions, invoices } = service.otherServices;
  subscriptions.push(aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T00:00:00Z') }));
  invoices.push(anInvoice(service));
  await saveCard(service);
  const { token } = await service.createLink({ returnUrl: 'https://shop.example.com/account?a=1&b=2' });

  const response = await service.visit(token);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  const page = textOf(response.body);
  for (const shown of ['Analytical Engines', 'Ada Lovelace', 'Pro', '$29.99 / month', 'Active', 'Dec 20, 2026'])
    expect(page).toContain(shown);
  for (const shown of ['INV-0001', 'Nov 20, 2026', 'Paid', 'Visa', '4242', 'All dates are in UTC'])
    expect(page).toContain(shown);
  expect(response.body).toContain('href="https://shop.example.com/account?a=1&amp;b=2"');
  expect(response.body).toContain('href="https://pay.stripe.com/invoice/1/pdf"');
});

it('shows the card that each subscription is charged to', async () => {
  await using service = await startService();
  const { subscriptions } = service.otherServices;
  const own = await buySubscription(service);
  subscriptions.push(aSubscription(service, { productName: 'Own', processorSubscriptionId: own }));
  subscriptions.push(aSubscription(service, { productName: 'Common', processorSubscriptionId: 'sub_other' }));
  const { token } = await service.createLink();
  const cardsIn = async (panel: string) => {
    const { body } = await service.visit(token, `?tab=${panel}`);
    const shown = new RegExp(`<section\\s+data-panel="${panel}"[\\s\\S]*?</section>`).exec(body)?.[0] ?? '';
    return {
      text: textOf(shown),
      last4: [...textOf(shown).matchAll(/ending in\s+(\d{4})/g)].map(([, digits]) => digits),
    };
  };
  const before = await cardsIn('payment-methods');
  expect(before.last4).toHaveLength(1);
  expect(before.text).toMatch(/For\s+Own/);
  expect(before.text).toMatch(/No payment method is saved[\s\S]*For\s+Common/);
  expect((await cardsIn('subscriptions')).last4).toEqual(before.last4);

  await saveCard(service);
  const { last4 } = await cardsIn('subscriptions');
  expect(last4).toHaveLength(2);
  expect(last4[0]).toBe(before.last4[0]);
  expect(last4[1]).not.toBe(last4[0]);
  expect((await cardsIn('payment-methods')).last4).toEqual(last4);
});

it('does not say that a card is charged, or was declined, for invoices that are sent', async () => {
  await using service = await startService();
  await saveCard(service);
  const { subscriptions } = service.account.dashboard;
  const [item] = (await subscriptions.retrieve(await buySubscription(service))).items.data;
  const { id } = await subscriptions.create({
    customer: service.processorCustomerId,
    items: [{ price: item?.price.id ?? '' }],
    collection_method: 'send_invoice',
    days_until_due: 30,
  });
  const sent = { processorSubscriptionId: id, status: 'past_due' } as const;
  service.otherServices.subscriptions.push(aSubscription(service, sent));
  const { token } = await service.createLink();
  const page = textOf((await service.visit(token)).body);
  expect(page).toMatch(/Paid with\s+Invoices that you pay yourself/);
  for (const wrong of ['4242', 'Your last payment', 'No payment method']) expect(page).not.toContain(wrong);
});

it('shows which bank account is charged', async () => {
  await using service = await startService();
  const { dashboard } = service.account;
  const customer = service.processorCustomerId;
  const { id } = await dashboard.paymentMethods.attach('pm_usBankAccount_success', { customer });
  await dashboard.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  const { token } = await service.createLink();
  const page = textOf((await service.visit(token, '?tab=payment-methods')).body);
  expect(page.replaceAll(/\s+/g, ' ')).toContain('US bank account •••• ending in 6789 · STRIPE TEST BANK');
});

it('stays below 50 KB, style and script included, for a customer with many invoices', async () => {
  await using service = await startService();
  const { subscriptions, invoices } = service.otherServices;
  for (let n = 0; n < 6; n += 1) subscriptions.push(aSubscription(service, { productName: `Product ${n}` }));
  for (let n = 0; n < 50; n += 1) invoices.push(anInvoice(service, { number: `N-${n}`, status: 'open' }));
  const { token } = await service.createLink({ returnUrl: 'https://shop.example.com/' });
  const { body } = await service.visit(token);
  expect(body).not.toMatch(/<(link|img|iframe)|src=|url\(/);
  expect(Buffer.byteLength(body)).toBeLessThan(50_000);
});

it('shows when a subscription ends that does not end with its period', async () => {
  await using service = await startService();
  const ends = { cancelAtPeriodEnd: true, cancelAt: new Date('2027-03-05T00:00:00Z') };
  service.otherServices.subscriptions.push(aSubscription(service, ends));
  const { token } = await service.createLink();
  expect(textOf((await service.visit(token)).body)).toMatch(/Cancels on\s+Mar 5, 2027/);
});

it('says that payments are paused, and no day of renewal', async () => {
  await using service = await startService();
  const pauseCollection = { behavior: 'void', resumesAt: null };
  service.otherServices.subscriptions.push(aSubscription(service, { pauseCollection }));
  const { token } = await service.createLink();
  const page = textOf((await service.visit(token)).body);
  expect(page).toContain('Paused');
  expect(page).not.toMatch(/Active|Renews on/);
});

it('offers to pay only what can still be paid', async () => {
  await using service = await startService();
  const { invoices } = service.otherServices;
  for (const status of ['open', 'uncollectible', 'paid', 'void'] as const) {
    const hostedInvoiceUrl = `https://invoice.stripe.com/i/${status}`;
    invoices.push(anInvoice(service, { number: `N-${status}`, status, hostedInvoiceUrl }));
  }
  const { token } = await service.createLink();
  const { body } = await service.visit(token, '?tab=invoices');
  const offered = [...body.matchAll(/href="https:\/\/invoice\.stripe\.com\/i\/(\w+)"/g)].map(([, status]) => status);
  expect(offered).toEqual(['open', 'uncollectible']);
});

it('links a missing payment to the open invoice', async () => {
  await using service = await startService();
  const openInvoiceUrl = 'https://invoice.stripe.com/i/acct_1/live_1';
  service.otherServices.subscriptions.push(aSubscription(service, { status: 'past_due', openInvoiceUrl }));
  const { token } = await service.createLink();
  const panel = /<section\s+data-panel="subscriptions"[\s\S]*?<\/section>/.exec((await service.visit(token)).body)?.[0];
  expect(panel).toContain(`href="${openInvoiceUrl}"`);
});

it('opens the tab that the address names', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const open = async (query: string) => {
    const { body } = await service.visit(token, query);
    const panels = [...body.matchAll(/<section\s+data-panel="([^"]+)"[^>]*?(\s+hidden)?\s*>/g)];
    expect(panels).toHaveLength(3);
    const [shown, ...others] = panels.filter(([, , hidden]) => !hidden).map(([, name]) => name);
    expect(others).toEqual([]);
    expect(body).toMatch(new RegExp(`data-tab="${shown}"\\s+aria-current="page"`));
    return shown;
  };
  expect(await open('')).toBe('subscriptions');
  expect(await open('?tab=invoices')).toBe('invoices');
  expect(await open('?tab=payment-methods')).toBe('payment-methods');
  expect(await open('?tab=<script>&page=-1&notice=you-have-won')).toBe('subscriptions');
  expect(await open('?tab=invoices&tab=invoices')).toBe('subscriptions');
});

it('tells the tax of an invoice where there is one', async () => {
  await using service = await startService();
  service.otherServices.invoices.push(
    anInvoice(service, { number: 'N-1', tax: 479 }),
    anInvoice(service, { number: 'N-2' }),
    anInvoice(service, { number: 'N-3', tax: null }),
  );
  const { token } = await service.createLink();
  const text = textOf((await service.visit(token, '?tab=invoices')).body);
  expect(text.match(/including \S+ tax/g)).toEqual(['including $4.79 tax']);
});

it('says until when an invoice is to be paid that can still be paid', async () => {
  await using service = await startService();
  const dueDate = new Date('2026-12-20T12:00:00Z');
  for (const status of ['open', 'paid'] as const)
    service.otherServices.invoices.push(anInvoice(service, { number: `N-${status}`, status, dueDate }));
  service.otherServices.invoices.push(anInvoice(service, { status: 'open' }));
  const { token } = await service.createLink();
  const text = textOf((await service.visit(token, '?tab=invoices')).body);
  expect(text.match(/Due on .*/g)).toEqual(['Due on Dec 20, 2026']);
});

it('shows twelve invoices per page, and uncollectible ones as open', async () => {
  await using service = await startService();
  const { invoices } = service.otherServices;
  const status = ['paid', 'open', 'void', 'uncollectible'] as const;
  for (let n = 0; n < 30; n += 1)
    invoices.push(
      anInvoice(service, { number: `N-${n}-`, status: status[n % 4] ?? 'paid', currency: 'jpy', amountDue: 500 + n }),
    );
  const { token } = await service.createLink();

  const first = textOf((await service.visit(token, '?tab=invoices')).body);
  expect(first).toContain('¥500');
  expect(first).toContain('N-11-');
  expect(first).not.toContain('N-12-');
  expect(first).not.toContain('ncollectible');
  expect(first.match(/\bOpen\b/g)).toHaveLength(6);
  const last = (await service.visit(token, '?tab=invoices&page=3')).body;
  expect(textOf(last)).toContain('Page 3 of 3');
  expect(textOf(last)).toContain('N-29-');
  expect(last).toContain('tab=invoices&amp;page=2');
});

it('formats amounts and dates in the reader’s locale', async () => {
  await using service = await startService();
  service.otherServices.subscriptions.push(
    aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T23:59:00Z') }),
  );
  const { token } = await service.createLink();
  const { body } = await service.visit(token, '', { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' });
  expect(textOf(body).replaceAll('\u00a0', ' ')).toContain('29,99 $ / Monat');
  expect(textOf(body)).toContain('20.12.2026');
});

it.each([
  ['de', '', {}, 'Ihre Abrechnung'],
  ['pl', '', { locale: 'pl-PL' }, 'Twoje rozliczenia'],
  ['ja', '&lang=ja', { locale: 'pl-PL' }, 'お支払い情報'],
  ['pt-BR', '&lang=pt-br', {}, 'Seu faturamento'],
  ['fr', '&lang=fr-CA', {}, 'Votre facturation'],
] as const)('speaks %s, and keeps the language of its address', async (language, query, link, title) => {
  await using service = await startService();
  const { token } = await service.createLink(link);
  const { body, headers } = await service.visit(token, `?tab=invoices${query}`, { 'accept-language': 'de' });
  expect(textOf(body)).toContain(title);
  expect(body).toContain(`<html lang="${language}">`);
  expect(headers['content-language']).toBe(language);
  expect(body.includes(`tab=subscriptions&amp;lang=${language}`)).toBe(query !== '');
});

it('speaks the language of the customer’s invoices before that of the browser', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  service.otherServices.customer = { name: null, email: 'ada@example.com', locale: 'sv' };
  const { headers } = await service.visit(token, '', { 'accept-language': 'de' });
  expect(headers['content-language']).toBe('sv');
});

it('shows in the reader’s language that a link has expired', async () => {
  await using service = await startService();
  const { body } = await service.visit('unknown', '', { 'accept-language': 'fr-FR' });
  expect(textOf(body)).toContain('Ce lien a expiré');
});

it('puts subscriptions with a missing payment first, with what to do', async () => {
  await using service = await startService();
  const { subscriptions } = service.otherServices;
  subscriptions.push(aSubscription(service, { productName: 'Fine' }));
  subscriptions.push(aSubscription(service, { productName: 'Overdue', status: 'past_due' }));
  const { token } = await service.createLink();
  const page = textOf((await service.visit(token)).body);
  expect(page.indexOf('Overdue')).toBeLessThan(page.indexOf('Fine'));
  expect(page).toContain('Your last payment didn’t go through');
  expect(page).toContain('Update payment method');
});

it('names the subscription that the new payment method could not be used for', async () => {
  await using service = await startService();
  const refusedPaymentMethod = { message: 'Not this one.', at: new Date() };
  service.otherServices.subscriptions.push(aSubscription(service, { productName: 'Pro' }));
  service.otherServices.subscriptions.push(aSubscription(service, { productName: 'Team', refusedPaymentMethod }));
  const { token } = await service.createLink();
  const page = textOf((await service.visit(token, '?tab=payment-methods')).body);
  expect(page).toContain('Team can’t be paid with your new payment method, and keeps the one before.');
  expect(page).not.toContain('Pro can’t');
});

it('shows everything else while the processor is slow or its credentials are missing', async () => {
  await using service = await startService();
  service.otherServices.subscriptions.push(aSubscription(service));
  await saveCard(service);
  const { token } = await service.createLink();
  await new LocalProcessorControl(service.account.url, service.account.secretKey).fail({
    method: 'GET',
    path: '/v1/customers',
    mode: 'slow',
    delayMs: 20_000,
  });
  const { statusCode, body } = await service.visit(token);
  expect(statusCode).toBe(200);
  expect(textOf(body)).toContain('$29.99 / month');
  expect(textOf(body)).toContain('The payment processor doesn’t respond right now');
  expect(body).not.toContain('4242');

  await service.stopCredentials();
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('shows the page without the gateway, but not without the subscriptions service', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  await service.otherServices.stop('project');
  expect((await service.visit(token)).statusCode).toBe(200);
  await service.otherServices.stop('billing');
  const { statusCode, body } = await service.visit(token);
  expect(statusCode).toBe(503);
  expect(textOf(body)).toContain('Please try again in a minute');
});

it('returns a page for unknown paths and unknown subscriptions', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  for (const path of ['/nothing', '/subscriptions/ps_bad/cancel', `/subscriptions/${SubscriptionId.create()}/cancel`]) {
    const { statusCode, headers, body } = await service.visit(token, path);
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toContain('text/html');
    expect(body).not.toContain(token);
  }
});

/** Saves a test card at the processor, and has the customer's invoices charged to it. */
async function saveCard({ account: { processor }, processorCustomerId: customerId }: Service): Promise<void> {
  const page = 'https://billing.example.com/done';
  const setup = { customerId, currency: 'usd', successUrl: page, cancelUrl: page, metadata: {} };
  const { id, url } = await processor.createSetupSession(setup, crypto.randomUUID());
  await fetch(String(url), { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const { setupIntentId } = await processor.findCheckoutSession(id);
  const { paymentMethodId } = await processor.findSavedPaymentMethod(String(setupIntentId));
  const changes = { defaultPaymentMethodId: String(paymentMethodId) };
  await processor.updateCustomer(customerId, changes, crypto.randomUUID());
}

/** Buys a subscription at the processor, which gets a test card of its own; returns its id. */
async function buySubscription({ account: { processor }, processorCustomerId: customerId }: Service): Promise<string> {
  const key = crypto.randomUUID();
  const product = await processor.createProduct({ name: 'Pro', metadata: {} }, `${key}-product`);
  const recurring = { interval: 'month', intervalCount: 1 } as const;
  const price = { productId: product.id, unitAmount: 2_999, currency: 'usd', recurring, metadata: {} };
  const { id: priceId } = await processor.createPrice(price, `${key}-price`);
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const checkout = {
    mode: 'subscription',
    customerId,
    lines: [{ priceId, quantity: 1 }],
    ...urls,
    metadata: {},
  } as const;
  const { id, url } = await processor.createCheckoutSession(checkout, key);
  await fetch(String(url), { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  return String((await processor.findCheckoutSession(id)).subscriptionId);
}
