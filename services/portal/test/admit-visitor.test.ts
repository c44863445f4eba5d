import { expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import { startService, type Service } from './start-service.ts';

it('requires the gateway’s identity token', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const direct = await service.app.inject({ method: 'GET', url: `/portal/${token}` });
  expect(direct.statusCode).toBe(401);
});

it('stops admitting when a link expires by the database’s clock', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  expect((await service.visit(token)).statusCode).toBe(200);

  await service.database.em.execute(
    `update portal_sessions set expires_at = clock_timestamp() + interval '200 milliseconds'`,
  );
  await waitFor(async () => (await service.visit(token)).statusCode === 404, { what: 'the link to expire' });
});

it('returns the same response for a wrong, malformed, expired or revoked token and a deleted customer', async () => {
  await using service = await startService();
  const [expired, revoked] = [await service.createLink(), await service.createLink()];
  const setToNow = async (column: string, { sessionId }: { sessionId: string }) =>
    service.database.em.execute(`update portal_sessions set ${column} = clock_timestamp() where id = ?`, [sessionId]);
  await setToNow('expires_at', expired);
  await setToNow('revoked_at', revoked);
  const live = await service.createLink();

  const tokens = [
    'A'.repeat(43),
    'short',
    live.token.slice(0, -1),
    live.token.toLowerCase(),
    `${live.token}=`,
    '%00',
    '<script>',
    expired.token,
    revoked.token,
  ];
  const pages = await Promise.all(tokens.map(token => pageWithoutNonce(service, token)));
  const calls = await Promise.all(tokens.map(token => callApi(service, token)));
  service.otherServices.customer = null;
  pages.push(await pageWithoutNonce(service, live.token));
  calls.push(await callApi(service, live.token));

  expect(new Set(pages.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  expect(pages[0]?.status).toBe(404);
  expect(pages[0]?.body).toContain('This link has expired');
  expect(new Set(calls.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
  expect(calls[0]?.statusCode).toBe(404);
  expect(calls[0]?.json()).toMatchObject({ error: { code: 'portal_link_expired' } });
});

it('marks responses to bad links for the gateway', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const bad = 'A'.repeat(43);
  const responses = [await service.visit(bad), await callApi(service, bad), await service.visit(token)];
  expect(responses.map(({ headers }) => headers['x-billing-problem'])).toEqual([
    'portal_link_expired',
    'portal_link_expired',
    undefined,
  ]);
});

it('admits nobody while the customers service is down', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  await service.otherServices.stop('customer');
  const response = await service.visit(token);
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBeDefined();
  expect(response.body).toContain('can’t be shown right now');
});

async function pageWithoutNonce(service: Service, token: string) {
  const { statusCode: status, body } = await service.visit(encodeURIComponent(token));
  return { status, body: body.replaceAll(/nonce="[^"]+"/g, '') };
}

const callApi = (service: Service, token: string) =>
  service.app.inject({
    method: 'POST',
    url: `/api/portal/${encodeURIComponent(token)}/setup-intent`,
    headers: { ...service.identity.anonymous(), 'x-request-id': 'same' },
  });
