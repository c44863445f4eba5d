import { randomBytes } from 'node:crypto';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { testServerUrls } from './servers.ts';

/** A subject root and stream prefix of this test's own, since two streams may not share subjects. */
export function testBusRoot(): string {
  return `test${randomBytes(6).toString('hex')}`;
}

/** A connection to the tests' server. Close it with `drain()` or `close()`. */
export function connectTestNats(options: ConnectionOptions = {}): Promise<NatsConnection> {
  // The client library reads no credentials from a URL.
  const { username, password, host } = new URL(testServerUrls().natsUrl);
  return connect({
    ...options,
    servers: host,
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
  });
}

/** The URL of the tests' server, credentials included, for what connects by itself. */
export function testNatsUrl(): string {
  return testServerUrls().natsUrl;
}
