import { TeamId } from '@billing/contracts/ids';
import { openRpcClient, type RpcClient } from '@billing/messaging/rpc';
import { messageWith, newEvent } from '@billing/testing/events';
import { connectTestNats } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import type { Chassis } from '../src/definition.ts';
import { startTestService } from '../src/testing/start-test-service.ts';
import { counterService, NumberCounted, NumberDrawn, Sum } from './counter-service.ts';

const teamId = TeamId.create();

it('closes HTTP, consumers, RPC, jobs, relay, resources, bus and database in this order', async () => {
  const steps: string[] = [];
  const request = hold();
  const number = hold();
  await using nats = await connectTestNats().then(nc => Object.assign(nc, { [Symbol.asyncDispose]: () => nc.close() }));

  const service = await startTestService(
    counterService({
      onRequest: request.wait,
      onNumber: number.wait,
      async onJobStop(chassis) {
        steps.push(`RPC served: ${await isServed(neighbour)}`, `relay runs: ${await isRelayed(chassis, 120_000)}`);
      },
      async onResourcesClose(chassis) {
        steps.push(
          `relay runs: ${await isRelayed(chassis, 1_000)}`,
          `bus open: ${!chassis.bus.nats.isClosed()}`,
          `database open: ${await chassis.database.isConnected()}`,
        );
      },
    }),
  );
  const neighbour = openRpcClient({ nats, inbox: '_INBOX', root: service.root });
  await service.run();
  const url = await service.listen();
  const slow = fetch(`${url}/api/greeting`, { headers: { ...service.identity.anonymous(), connection: 'close' } });
  await request.reached;

  const closing = service[Symbol.asyncDispose]();
  await waitFor(
    () =>
      fetch(`${url}/health/live`).then(
        () => false,
        () => true,
      ),
    { what: 'HTTP to refuse requests' },
  );
  // A request is still in flight: consumers go on.
  const event = newEvent(NumberDrawn, teamId, { number: 1 });
  const handling = service.bus.publish(messageWith(event));
  await number.reached;
  await handling;
  request.release();
  expect((await slow).status).toBe(200);
  await service.app?.close();
  // An event is still in flight: RPC is still served.
  steps.push(`RPC served: ${await isServed(neighbour)}`);
  number.release();
  await closing;

  expect(steps).toEqual([
    'RPC served: true',
    'RPC served: false',
    'relay runs: true',
    'relay runs: false',
    'bus open: true',
    'database open: true',
  ]);
  expect(service.bus.nats.isClosed()).toBe(true);
  expect(await service.database.isConnected()).toBe(false);
});

/** Holds whoever waits until it is released. */
function hold() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const wait = () => (reached.resolve(), released.promise);
  return { reached: reached.promise, release: released.resolve, wait };
}

const isServed = (rpc: RpcClient): Promise<boolean> =>
  rpc.call(Sum, {}).then(
    () => true,
    () => false,
  );

/** Publishes an event and returns whether the relay takes it from the outbox within this time. */
async function isRelayed({ em, outbox }: Chassis, timeoutMs: number): Promise<boolean> {
  await outbox.transaction(async (_tx, publish) => publish(NumberCounted, teamId, { number: 0 }));
  const isPublished = async () => {
    const [row] = await em
      .fork()
      .execute<{ count: string }[]>('select count(*) from outbox_messages where published_at is null');
    return row?.count === '0';
  };
  return waitFor(isPublished, { what: 'the relay', timeoutMs }).then(
    () => true,
    () => false,
  );
}
