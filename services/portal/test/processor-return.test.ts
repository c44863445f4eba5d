import { expect, it } from 'vitest';
import { PUBLIC_URL, startService, type Service } from './start-service.ts';

it('opens the processor’s page for a new payment method and returns to the tab', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const { url, cookie, path } = await startUpdate(service, token);
  expect(new URL(url).origin).toBe(service.account.url);
  expect(cookie).toMatch(
    /^portal_return=[\w-]{43}; Max-Age=3600; Path=\/portal\/return\/[\w-]{16}; HttpOnly; SameSite=Lax; Secure$/,
  );

  const saved = await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  expect(saved.headers.get('location')).toBe(`${PUBLIC_URL}${path}?notice=payment-method-saved`);
  const returned = await returnTo(service, `${path}?notice=payment-method-saved`, cookie);
  expect(returned.statusCode).toBe(303);
  expect(returned.headers.location).toBe(`/portal/${token}?tab=payment-methods&notice=payment-method-saved`);
  expect(returned.headers['set-cookie']).toContain(`portal_return=; Max-Age=0; Path=${path};`);
  const page = await service.visit(token, '?tab=payment-methods&notice=payment-method-saved');
  expect(page.body).toContain('Your new payment method is saved');

  const session = await service.account.processor.findCheckoutSession(sessionIdOf(url));
  expect(session).toMatchObject({
    mode: 'setup',
    customerId: service.processorCustomerId,
    metadata: { ...service.scope, customerId: service.customerId, purpose: 'portal-payment-method' },
  });
});

it('keeps the language that the reader chose, on the processor’s page and back', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const { headers } = await service.submit(token, '/payment-method?lang=fr');
  const session = await fetch(`${service.account.url}/v1/checkout/sessions/${sessionIdOf(String(headers.location))}`, {
    headers: { authorization: `Bearer ${service.account.secretKey}` },
  });
  const { locale, success_url: successUrl } = (await session.json()) as { locale: string; success_url: string };
  expect(locale).toBe('fr');
  const { pathname, search } = new URL(successUrl);
  const [cookie = ''] = [headers['set-cookie'] ?? ''].flat();
  const returned = await returnTo(service, pathname + search, cookie);
  expect(returned.headers.location).toContain('tab=payment-methods&notice=payment-method-saved&lang=fr');
});

it('sends the processor no token, by the API or by the form', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const byForm = await service.submit(token, '/payment-method');
  const urls = [(await startUpdate(service, token)).url, String(byForm.headers.location)];
  for (const url of urls) {
    const session = await fetch(`${service.account.url}/v1/checkout/sessions/${sessionIdOf(url)}`, {
      headers: { authorization: `Bearer ${service.account.secretKey}` },
    });
    const stored = await session.text();
    expect(stored).toContain('/portal/return/');
    expect(stored).not.toContain(token);
  }
  expect(byForm.headers['set-cookie']).toContain(`portal_return=${token}`);
});

it('opens nothing for a browser without the cookie', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const { path } = await startUpdate(service, token);
  const cookies = [undefined, 'portal_return=', 'portal_return=nonsense', `other=${token}`, 'portal_return'];
  for (const cookie of cookies) {
    const { statusCode, body, headers } = await returnTo(service, `${path}?notice=payment-method-saved`, cookie);
    expect(statusCode).toBe(200);
    expect(body).toContain('Open your billing link again');
    expect(body + JSON.stringify(headers)).not.toContain(token);
    expect(body).not.toContain('Ada');
  }
});

it('does not return to a link that was revoked in the meantime', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const { path, cookie } = await startUpdate(service, token);
  await service.database.em.execute('update portal_sessions set revoked_at = clock_timestamp()');
  const ended = await returnTo(service, path, cookie);
  const guessed = await returnTo(service, path, `portal_return=${'A'.repeat(43)}`);
  for (const { statusCode, body, headers } of [ended, guessed]) {
    expect(statusCode).toBe(404);
    expect(body).toContain('This link has expired');
    expect(headers.location).toBeUndefined();
  }
});

it('keeps the returns of two customers in one browser apart', async () => {
  await using service = await startService();
  const [one, other] = [await service.createLink(), await service.createLink()];
  const [first, second] = [await startUpdate(service, one.token), await startUpdate(service, other.token)];
  expect(first.path).not.toBe(second.path);
  expect((await returnTo(service, first.path, first.cookie)).headers.location).toContain(one.token);
  expect((await returnTo(service, second.path, second.cookie)).headers.location).toContain(other.token);
});

/** Starts a payment update. Returns the processor's page, the cookie, and the path that it is for. */
async function startUpdate(service: Service, token: string) {
  const response = await service.app.inject({
    method: 'POST',
    url: `/api/portal/${token}/setup-intent`,
    headers: service.identity.anonymous(),
  });
  expect(response.statusCode).toBe(200);
  const cookie = String(response.headers['set-cookie']);
  const path = /Path=([^;]+)/.exec(cookie)?.[1] ?? '';
  return { url: response.json<{ url: string }>().url, cookie, path };
}

const returnTo = (service: Service, url: string, cookie: string | undefined) =>
  service.app.inject({
    method: 'GET',
    url,
    headers: { ...service.identity.anonymous(), ...(cookie !== undefined && { cookie: cookie.split(';')[0] }) },
  });

const sessionIdOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
