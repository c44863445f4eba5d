import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

it('S77: serves other teams while very many requests wait at a service, and frees what those had that hang up', async () => {
  await using gateway = await startGateway();
  const [noisy, quiet] = [await gateway.createTenant(), await gateway.createTenant()];
  const { bearer } = await noisy.createKey();
  const { webhooks } = gateway.services;
  const hangUp = new AbortController();
  const polls = Array.from({ length: 300 }, () =>
    fetch(`${gateway.url}${noisy.path}/events?waitMs=20000&hang=1`, { headers: bearer, signal: hangUp.signal }).catch(
      () => undefined,
    ),
  );
  await waitFor(() => webhooks.received.length >= 256, { what: 'the service to have most of them' });
  const { bearer: other } = await quiet.createKey();
  for (const path of ['/webhook-endpoints', '/webhook-deliveries', '/events'])
    expect((await gateway.call('GET', `${quiet.path}${path}`, { headers: other })).status).toBe(200);
  hangUp.abort();
  await Promise.all(polls);
  await waitFor(async () => (await webhooks.connections()) === 0, { what: 'the connections to be closed' });
});
