import { expect, it } from 'vitest';
import { PUBLIC_URL, startService, type Service } from './service.ts';

it('leads to the processor’s page for a new payment method, and back to the tab it came from', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const { url, cookie, path } = await leave(service, token);
  expect(new URL(url).origin).toBe(service.stripe.url);
  expect(cookie).toMatch(
    /^portal_return=[\w-]{43}; Max-Age=3600; Path=\/portal\/return\/[\w-]{16}; HttpOnly; SameSite=Lax; Secure$/,
  );

  const saved = await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  expect(saved.headers.get('location')).toBe(`${PUBLIC_URL}${path}?notice=payment-method-saved`);
  const back = await comeBack(service, `${path}?notice=payment-method-saved`, cookie);
  expect(back.statusCode).toBe(303);
  expect(back.headers.location).toBe(`/portal/${token}?tab=payment-methods&notice=payment-method-saved`);
  expect(back.headers['set-cookie']).toContain(`portal_return=; Max-Age=0; Path=${path};`);
  const page = await service.visit(token, '?tab=payment-methods&notice=payment-method-saved');
  expect(page.body).toContain('Your new payment method is saved');
  expect(page.body).toContain('4242');

  const session = await service.processor.findCheckoutSession(sessionIdOf(url));
  expect(session).toMatchObject({
    mode: 'setup',
    customerId: service.processorCustomerId,
    metadata: { ...service.scope, customerId: service.customerId },
  });
});

it('tells the processor no token, by the API or by the form', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const byForm = await service.submit(token, '/payment-method');
  const urls = [(await leave(service, token)).url, String(byForm.headers.location)];
  for (const url of urls) {
    const session = await fetch(`${service.stripe.url}/v1/checkout/sessions/${sessionIdOf(url)}`, {
      headers: { authorization: `Bearer ${service.secretKey}` },
    });
    const told = await session.text();
    expect(told).toContain('/portal/return/');
    expect(told).not.toContain(token);
  }
  expect(byForm.headers['set-cookie']).toContain(`portal_return=${token}`);
});

it('opens nothing to whoever has only the address that leads back', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const { path } = await leave(service, token);
  const strangers = [undefined, 'portal_return=', 'portal_return=nonsense', `other=${token}`, 'portal_return'];
  for (const cookie of strangers) {
    const { statusCode, body, headers } = await comeBack(service, `${path}?notice=payment-method-saved`, cookie);
    expect(statusCode).toBe(200);
    expect(body).toContain('Open your billing link again');
    expect(body + JSON.stringify(headers)).not.toContain(token);
    expect(body).not.toContain('Ada');
  }
});

it('leads nobody back to a link that has ended meanwhile, and says what every ended link says', async () => {
  await using service = await startService();
  const { token } = await service.portalLink();
  const { path, cookie } = await leave(service, token);
  await service.database.em.execute('update portal_sessions set revoked_at = clock_timestamp()');
  const ended = await comeBack(service, path, cookie);
  const guessed = await comeBack(service, path, `portal_return=${'A'.repeat(43)}`);
  for (const { statusCode, body, headers } of [ended, guessed]) {
    expect(statusCode).toBe(404);
    expect(body).toContain('This link has expired');
    expect(headers.location).toBeUndefined();
  }
});

it('keeps apart the ways back of two customers in one browser', async () => {
  await using service = await startService();
  const [one, other] = [await service.portalLink(), await service.portalLink()];
  const [ofOne, ofOther] = [await leave(service, one.token), await leave(service, other.token)];
  expect(ofOne.path).not.toBe(ofOther.path);
  expect((await comeBack(service, ofOne.path, ofOne.cookie)).headers.location).toContain(one.token);
  expect((await comeBack(service, ofOther.path, ofOther.cookie)).headers.location).toContain(other.token);
});

/** Presses the button: the processor's page, and what the browser keeps for the way back. */
async function leave(service: Service, token: string) {
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

const comeBack = (service: Service, url: string, cookie: string | undefined) =>
  service.app.inject({
    method: 'GET',
    url,
    headers: { ...service.identity.anonymous(), ...(cookie !== undefined && { cookie: cookie.split(';')[0] }) },
  });

const sessionIdOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
