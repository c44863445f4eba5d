import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, it } from 'vitest';
import { connectTestNats, testBusRoot, testNatsUrl } from '@billing/testing/nats';

it('provides a NATS server with JetStream', async () => {
  const nats = await connectTestNats();
  const root = testBusRoot();
  const manager = await jetstreamManager(nats);
  const stream = await manager.streams.add({ name: root, subjects: [`${root}.>`] });
  expect(stream.config.subjects).toEqual([`${root}.>`]);
  await manager.streams.delete(root);
  await nats.close();
});

it('rejects a client without credentials', async () => {
  const { host } = new URL(testNatsUrl());
  await expect(connect({ servers: host, reconnect: false, maxReconnectAttempts: 0 })).rejects.toThrow(/authorization/i);
});
