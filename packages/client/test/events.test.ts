import { describe, expect, it } from 'vitest';
import { startScriptedServer } from './scripted-server.ts';

async function idsOf(list: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

describe('events', () => {
  const page = (ids: string[], nextCursor: string | null, hasMore: boolean) => ({
    status: 200,
    body: { events: ids.map(id => ({ id })), nextCursor, hasMore },
  });

  it('are listed up to the newest, whose page has a cursor too', async () => {
    await using server = await startScriptedServer([
      page(['a'], 'c1', true),
      page([], 'c2', true),
      page(['b'], 'c3', false),
    ]);
    expect(await idsOf(server.client.events.list({ types: ['invoice.paid', 'payment.failed'] }))).toEqual(['a', 'b']);
    const types = 'types=invoice.paid%2Cpayment.failed';
    expect(server.requests.map(({ url }) => url?.split('?')[1])).toEqual([
      types,
      `${types}&cursor=c1`,
      `${types}&cursor=c2`,
    ]);
  });

  it('are followed from page to page, also before the first and while there are none', async () => {
    const empty = page([], null, false);
    await using server = await startScriptedServer([
      empty,
      page(['a'], 'c1', false),
      page([], 'c1', false),
      page(['b'], 'c2', false),
    ]);
    const cursors: (string | null)[] = [];
    for await (const { nextCursor } of server.client.events.follow().pages()) {
      cursors.push(nextCursor);
      if (cursors.length === 4) break;
    }
    expect(cursors).toEqual([null, 'c1', 'c1', 'c2']);
    const wait = 'waitMs=20000';
    expect(server.requests.map(({ url }) => url?.split('?')[1])).toEqual([
      wait,
      wait,
      `${wait}&cursor=c1`,
      `${wait}&cursor=c1`,
    ]);
  });

  it('may take as long as the request says beside the time of an attempt, until the signal', async () => {
    await using server = await startScriptedServer(['never']);
    const controller = new AbortController();
    const following = server.client.events
      .follow({}, { signal: controller.signal, timeoutMs: 1, maxRetries: 0 })
      .page();
    await expect.poll(() => server.requests).toHaveLength(1);
    controller.abort(new Error('The process ends.'));
    await expect(following).rejects.toThrow('The process ends.');
  });
});

it('lists deliveries by cursor up to the last', async () => {
  const page = (id: string, nextCursor: string | null) => ({ status: 200, body: { deliveries: [{ id }], nextCursor } });
  await using server = await startScriptedServer([page('a', 'c1'), page('b', null)]);
  expect(await idsOf(server.client.webhookDeliveries.list({ status: 'failed', limit: 1 }))).toEqual(['a', 'b']);
});
