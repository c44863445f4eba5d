import { expect, it } from 'vitest';
import { CustomerId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import { serveRpc, openRpcClient } from '../src/rpc.ts';
import { projectId, startMessaging, teamId } from './harness.ts';

const asked = { teamId, projectId, customerId: CustomerId.create() };

it('gets the answer of one of the copies that answer', async () => {
  await using messaging = await startMessaging();
  let answered = 0;
  const find = async () => ({ subscribed: ++answered > 0 });
  const stops = [
    serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, find),
    serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, find),
  ];
  expect(await openRpcClient(messaging.bus).call(HasSubscribed, asked)).toEqual({ subscribed: true });
  expect(answered).toBe(1);
  for (const stop of stops) await stop();
});

it('passes on what the owner finds wrong', async () => {
  await using messaging = await startMessaging();
  const stop = serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, async () => {
    throw notFound('customer');
  });
  await expect(openRpcClient(messaging.bus).call(HasSubscribed, asked)).rejects.toMatchObject({
    kind: 'not_found',
    code: 'customer_not_found',
  });
  await stop();
});

it('is unavailable when nobody answers', async () => {
  await using messaging = await startMessaging();
  await expect(openRpcClient(messaging.bus).call(HasSubscribed, asked)).rejects.toMatchObject({ kind: 'unavailable' });
});
