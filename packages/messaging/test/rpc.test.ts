import { expect, it } from 'vitest';
import { CustomerId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import { serveRpc, openRpcClient } from '../src/rpc.ts';
import { projectId, startMessaging, teamId } from './start-messaging.ts';

const request = { teamId, projectId, customerId: CustomerId.create() };

it('gets the reply of one of the copies that serve the call', async () => {
  await using messaging = await startMessaging();
  let served = 0;
  const find = async () => ({ subscribed: ++served > 0 });
  const stops = [
    serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, find),
    serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, find),
  ];
  expect(await openRpcClient(messaging.bus).call(HasSubscribed, request)).toEqual({ subscribed: true });
  expect(served).toBe(1);
  for (const stop of stops) await stop();
});

it('passes on the problem that the owner replies with', async () => {
  await using messaging = await startMessaging();
  const stop = serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, async () => {
    throw notFound('customer');
  });
  await expect(openRpcClient(messaging.bus).call(HasSubscribed, request)).rejects.toMatchObject({
    kind: 'not_found',
    code: 'customer_not_found',
  });
  await stop();
});

it('is unavailable when no copy serves the call', async () => {
  await using messaging = await startMessaging();
  await expect(openRpcClient(messaging.bus).call(HasSubscribed, request)).rejects.toMatchObject({
    kind: 'unavailable',
  });
});
