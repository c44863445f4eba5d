import { expect, it } from 'vitest';
import { SubscriptionId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { aSubscription, anInvoice, startService, type Service } from './service.ts';

it('shows what is billed, when and with what, in one page without script', async () => {
  await using service = await startService();
  const { subscriptions, invoices } = service.neighbours;
  subscriptions.push(aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T00:00:00Z') }));
  invoices.push(anInvoice(service));
  await saveCard(service);
  const { token } = await service.portalLink({ returnUrl: 'https://shop.example.com/account?a=1&b=2' });

  const response = await service.visit(token);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  const page = text(response.body);
  for (const shown of ['Analytical Engines', 'Ada Lovelace', 'Pro', '$29.99 / month', 'Active', 'Dec 20, 2026'])
    expect(page).toContain(shown);
  for (const shown of ['INV-0001', 'Nov 20, 2026', 'Paid', 'Visa', '4242', 'All dates are in UTC'])
    expect(page).toContain(shown);
  expect(response.body).toContain('href="https://shop.example.com/account?a=1&amp;b=2"');
  expect(response.body).toContain('href="https://pay.stripe.com/invoice/1/pdf"');
});

it('weighs less than 50 KB with all that it needs, for a customer with much to show', async () => {
  await using service = await startService();
  const { subscriptions, invoices } = service.neighbours;
  for (let n = 0; n < 6; n += 1) subscriptions.push(aSubscription(service, { productName: `Product ${n}` }));
  for (let n = 0; n < 50; n += 1) invoices.push(anInvoice(service, { number: `N-${n}`, status: 'open' }));
  const { token } = await service.portalLink({ returnUrl: 'https://shop.example.com/' });
  const { body } = await service.visit(token);
  expect(body).not.toMatch(/<(link|img|iframe)|src=|url\(/);
  expect(Buffer.byteLength(body)).toBeLessThan(50_000);
});

it('says when a subscription ends that ends at a time of its own', async () => {
  await using service = await startService();
  const ends = { cancelAtPeriodEnd: true, cancelAt: new Date('2027-03-05T00:00:00Z') };
  service.neighbours.subscriptions.push(aSubscription(service, ends));
  const { token } = await service.portalLink();
  expect(text((await service.visit(token)).body)).toMatch(/Cancels on\s+Mar 5, 2027/);
});

it('leads from a missing payment straight to the invoice that is open', async () => {
  await using service = await startService();
  const overdue = aSubscription(service, { status: 'past_due' });
  service.neighbours.subscriptions.push(overdue);
  const hostedInvoiceUrl = 'https://invoice.stripe.com/i/acct_1/live_1';
  service.neighbours.invoices.push(
    anInvoice(service, { subscriptionId: overdue.id, status: 'open', hostedInvoiceUrl }),
  );
  const { token } = await service.portalLink();
  const panel = /<section\s+data-panel="subscriptions"[\s\S]*?<\/section>/.exec((await service.visit(token)).body)?.[0];
  expect(panel).toContain(`href="${hostedInvoiceUrl}"`);
});

it('opens the tab that its address names', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
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

it('allows its own style and script and nothing else, and leaves no trace', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const [one, other] = [await service.visit(token), await service.visit(token)];

  const policy = String(one.headers['content-security-policy']);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy.split('; ').toSorted()).toEqual([
    `base-uri 'none'`,
    `connect-src 'self'`,
    `default-src 'none'`,
    expect.stringMatching(/^form-action 'self' http:\/\/localhost:\d+ http:\/\/127\.0\.0\.1:\d+$/),
    `frame-ancestors 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
  ]);
  expect(one.body).toContain(`<script nonce="${nonce}">`);
  expect(one.body).toContain(`<style nonce="${nonce}">`);
  expect(one.body).not.toMatch(/ style="| on[a-z]+="|<link|<img|https?:\/\/(?!localhost|127)/);
  expect(other.headers['content-security-policy']).not.toBe(policy);

  const answers = [
    one,
    await service.visit('bad'),
    await service.visit(token, '/nothing-here'),
    await service.openPortal(),
  ];
  for (const answer of answers)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
    });
});

it('shows hostile texts as text', async () => {
  await using service = await startService();
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title><script>alert(1)</script>',
    '</style><script>alert(1)</script>',
    '</script><svg onload=alert(1)>',
    '<!--',
    ']]>',
    '&lt;b&gt; stays as it is',
    'javascript:alert(1)',
    '${alert(1)} {{alert(1)}} <%= alert(1) %>',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<a href="javascript:alert(1)">click</a>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<form action="https://evil.example/"><input name=card>',
    '<style>*{display:none}</style>',
    '<svg><script>alert(1)</script></svg>',
    '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
    '<template><script>alert(1)</script></template>',
    '\u202Egnp.exe',
    'عميل <b>مهم</b>',
    '＜script＞alert(1)＜/script＞',
    '\u0001\u0002<\u0003b>',
    '<sCrIpT/src=//evil.example>',
    '`onload=alert(1)`',
    '\\u003cscript\\u003e',
    '%3Cscript%3Ealert(1)%3C/script%3E',
    `${'<b>'.repeat(60)}200 characters and more`,
    '<input autofocus onfocus=alert(1)>',
  ];
  const { neighbours } = service;
  const { token } = await service.portalLink({
    returnUrl: `https://shop.example.com/?"><script>alert(1)</script>`.replaceAll(/\s/g, ''),
  });
  const harmless = tagsOf((await pageWith(service, token, 'harmless')).body);
  for (const name of hostile) {
    const { body, statusCode } = await pageWith(service, token, name);
    expect(statusCode).toBe(200);
    expect(tagsOf(body)).toEqual(harmless);
    expect(text(body)).toContain(name);
  }
  neighbours.invoices = [
    anInvoice(service, { invoicePdfUrl: 'javascript:alert(1)', hostedInvoiceUrl: 'data:text/html,x', status: 'open' }),
  ];
  expect((await service.visit(token)).body).not.toMatch(/href="(javascript|data):/i);
});

it('shows void, open and paid invoices, uncollectible ones as open, in pages of twelve', async () => {
  await using service = await startService();
  const { invoices } = service.neighbours;
  const status = ['paid', 'open', 'void', 'uncollectible'] as const;
  for (let n = 0; n < 30; n += 1)
    invoices.push(
      anInvoice(service, { number: `N-${n}-`, status: status[n % 4] ?? 'paid', currency: 'jpy', amountDue: 500 + n }),
    );
  const { token } = await service.portalLink();

  const first = text((await service.visit(token, '?tab=invoices')).body);
  expect(first).toContain('¥500');
  expect(first).toContain('N-11-');
  expect(first).not.toContain('N-12-');
  expect(first).not.toContain('ncollectible');
  expect(first.match(/\bOpen\b/g)).toHaveLength(6);
  const last = (await service.visit(token, '?tab=invoices&page=3')).body;
  expect(text(last)).toContain('Page 3 of 3');
  expect(text(last)).toContain('N-29-');
  expect(last).toContain('tab=invoices&amp;page=2');
});

it('writes amounts and dates as the reader’s language does', async () => {
  await using service = await startService();
  service.neighbours.subscriptions.push(aSubscription(service, { currentPeriodEnd: new Date('2026-12-20T23:59:00Z') }));
  const { token } = await service.portalLink();
  const { body } = await service.visit(token, '', { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' });
  expect(text(body).replaceAll('\u00a0', ' ')).toContain('29,99 $ / month');
  expect(text(body)).toContain('20.12.2026');
});

it('puts a missing payment first and says what to do', async () => {
  await using service = await startService();
  const { subscriptions } = service.neighbours;
  subscriptions.push(aSubscription(service, { productName: 'Fine' }));
  subscriptions.push(aSubscription(service, { productName: 'Overdue', status: 'past_due' }));
  const { token } = await service.portalLink();
  const page = text((await service.visit(token)).body);
  expect(page.indexOf('Overdue')).toBeLessThan(page.indexOf('Fine'));
  expect(page).toContain('Your last payment didn’t go through');
  expect(page).toContain('Update payment method');
});

it('shows the rest while the processor is down or slow, and says so', async () => {
  await using service = await startService();
  service.neighbours.subscriptions.push(aSubscription(service));
  await saveCard(service);
  const { token } = await service.portalLink();
  await new LocalProcessorControl(service.stripe.url, service.secretKey).fail({
    method: 'GET',
    path: '/v1/customers',
    mode: 'slow',
    delayMs: 20_000,
  });
  const began = performance.now();
  const { statusCode, body } = await service.visit(token);
  // It did not wait for the processor.
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(statusCode).toBe(200);
  expect(text(body)).toContain('$29.99 / month');
  expect(text(body)).toContain('The payment processor doesn’t answer right now');
  expect(body).not.toContain('4242');

  await service.silence('credentials');
  expect((await service.visit(token)).statusCode).toBe(200);
});

it('goes without the project’s name while nobody can tell it, and is unavailable without the subscriptions service', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  await service.silence('project');
  expect((await service.visit(token)).statusCode).toBe(200);
  await service.silence('billing');
  const { statusCode, body } = await service.visit(token);
  expect(statusCode).toBe(503);
  expect(text(body)).toContain('Please try again in a minute');
});

it('answers with a page to whatever else is asked below it', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  for (const path of ['/nothing', '/subscriptions/ps_bad/cancel', `/subscriptions/${SubscriptionId.create()}/cancel`]) {
    const { statusCode, headers, body } = await service.visit(token, path);
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toContain('text/html');
    expect(body).not.toContain(token);
  }
});

async function saveCard(service: Service): Promise<void> {
  const { processor, processorCustomerId: customerId } = service;
  const page = 'https://billing.example.com/done';
  const setup = { customerId, currency: 'usd', successUrl: page, cancelUrl: page, metadata: {} };
  const { url } = await processor.createSetupSession(setup, crypto.randomUUID());
  await fetch(String(url), { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
}

async function pageWith(service: Service, token: string, name: string) {
  const { neighbours } = service;
  neighbours.customer = { name, email: 'ada@example.com' };
  neighbours.projectName = name;
  neighbours.subscriptions = [aSubscription(service, { id: 'ps_00000000000000000000', productName: name })];
  neighbours.invoices = [anInvoice(service, { number: name })];
  return service.visit(token);
}

/** The tags of a page with their attributes' names. */
function tagsOf(body: string): string[] {
  const withoutOwn = body.replaceAll(/<(style|script) [^>]*>[\s\S]*?<\/\1>/g, '');
  return [...withoutOwn.matchAll(/<\/?[a-z0-9!]+(?:\s+[a-z-]+(?:="[^"]*")?)*\s*>/gi)].map(([tag]) =>
    tag.replaceAll(/="[^"]*"/g, ''),
  );
}

/** What a page says, without its tags. */
function text(body: string): string {
  return body
    .replaceAll(/<(style|script) [^>]*>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
