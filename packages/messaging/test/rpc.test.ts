import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { CustomerId } from '@billing/contracts/ids';
import { notFound, Problem } from '@billing/contracts/problem';
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

it('replies to the calls in flight before it stops', async () => {
  await using messaging = await startMessaging();
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stop = serveRpc({ ...messaging.bus, logger: messaging.logger }, HasSubscribed, async () => {
    called.resolve();
    await released.promise;
    return { subscribed: true };
  });
  const reply = openRpcClient(messaging.bus).call(HasSubscribed, request);
  await called.promise;
  let hasStopped = false;
  const stopping = stop().then(() => (hasStopped = true));
  // Drained: nobody serves the call any more.
  await waitFor(
    () =>
      openRpcClient(messaging.bus)
        .call(HasSubscribed, request, 200)
        .then(
          () => false,
          (err: unknown) => err instanceof Problem && err.message.includes('no copy of it is running'),
        ),
    { what: 'the call to be served no more' },
  );
  expect(hasStopped).toBe(false);
  released.resolve();
  expect(await reply).toEqual({ subscribed: true });
  await stopping;
});
