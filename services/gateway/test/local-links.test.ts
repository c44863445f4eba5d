import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

const LOCAL = { PUBLIC_URL: 'http://localhost:8080' };
const verify = (gateway: Awaited<ReturnType<typeof startGateway>>, token: string) =>
  gateway.call('POST', '/api/auth/one-time-token/verify', { body: { token } });

it('signs in by a link once', async () => {
  await using gateway = await startGateway({ env: LOCAL });
  const user = await gateway.signUp();
  const { token } = (await user.call('GET', '/api/auth/one-time-token/generate')).body;
  const response = await verify(gateway, token);
  expect(response.status).toBe(200);
  expect(response.headers.get('set-cookie')).toContain('session_token=');
  const again = await verify(gateway, token);
  expect(again.status).toBe(400);
  expect(again.headers.has('set-cookie')).toBe(false);
});

it('takes no other token, and makes none for those who are not signed in', async () => {
  await using gateway = await startGateway({ env: LOCAL });
  expect((await verify(gateway, 'a'.repeat(32))).status).toBe(400);
  expect((await gateway.call('GET', '/api/auth/one-time-token/generate')).status).toBe(401);
});

it('has no such links where other machines can reach it', async () => {
  await using gateway = await startGateway({ env: { PUBLIC_URL: 'https://billing.example.com', TRUST_PROXY: '0' } });
  const path = '/api/auth/one-time-token/generate';
  expect(await gateway.call('GET', path)).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
  expect((await verify(gateway, 'a'.repeat(32))).status).toBe(404);
});
