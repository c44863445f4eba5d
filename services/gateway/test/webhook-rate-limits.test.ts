import { startLink } from '@billing/testing/link';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countOf, expectRateLimited, repeat, statusesOf } from './rate-limited.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

// The clock stands still, so that no window ends during a test.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

describe('webhooks', () => {
  const team = 'team_0123456789abcdefghij';
  const post = (gateway: Gateway, body: string, teamId = team) =>
    gateway.call('POST', `/api/webhooks/processor/${teamId}`, { body, headers: { 'stripe-signature': 'x' } });

  it('of a team are limited by number, also those that arrive together', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT_WEBHOOK_EVENTS: '1' } });
    const responses = await Promise.all(Array.from({ length: 30 }, () => post(gateway, '{}')));
    const stored = countOf(responses, 200);
    // A stored event counts twice until its reservation has ended, so a few more may be refused at first.
    expect(stored).toBeGreaterThan(0);
    expect(countOf(responses, 429)).toBe(30 - stored);
    for (let count = stored; count < 10; count += 1)
      await waitFor(async () => (await post(gateway, '{}')).status === 200, {
        what: `event ${count + 1} to be stored`,
      });
    expectRateLimited(await post(gateway, '{}'), 10);
    expect((await post(gateway, '{}', 'team_aaaaaaaaaaaaaaaaaaaa')).status).toBe(200);
  });

  it('S29: with a bad signature use up nothing, and are not written down', async () => {
    await using gateway = await startGateway({ env: { RATE_LIMIT_WEBHOOK_EVENTS: '1' } });
    gateway.services.webhooks.respondToWebhooks(400);
    expect(statusesOf(await repeat(50, () => post(gateway, '{}')))).toEqual(Array(50).fill(400));
    expect(await gateway.em.fork().execute('select key from rate_limits')).toEqual([]);
    gateway.services.webhooks.respondToWebhooks(200);
    expect((await post(gateway, '{}')).status).toBe(200);
  });

  it('are counted in memory while PostgreSQL is down', async () => {
    await using links = new AsyncDisposableStack();
    let link: Awaited<ReturnType<typeof startLink>> | undefined;
    await using gateway = await startGateway({
      env: { RATE_LIMIT_WEBHOOK_EVENTS: '1' },
      linkDatabase: async url => {
        link = links.use(await startLink(url));
        return link.url;
      },
    });
    await link?.cut();
    const responses = await repeat(12, () => post(gateway, '{}'));
    expect([countOf(responses, 200), countOf(responses, 429)]).toEqual([10, 2]);
  });
});
