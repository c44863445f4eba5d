import { randomBytes } from 'node:crypto';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { testServerUrls } from './server-urls.ts';

/** Returns a subject root for one test: two streams may not share subjects. */
export function testBusRoot(): string {
  return `test${randomBytes(6).toString('hex')}`;
}

/** Connects to the test server. Close the connection with `drain()` or `close()`. */
export function connectTestNats(options: ConnectionOptions = {}): Promise<NatsConnection> {
  return connectToNats(testServerUrls().natsUrl, options);
}

/** Connects with the credentials in `url`. */
export function connectToNats(url: string, options: ConnectionOptions = {}): Promise<NatsConnection> {
  // The client library reads no credentials from a URL.
  const { username, password, host } = new URL(url);
  return connect({
    ...options,
    servers: host,
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
  });
}

/** Returns the URL of the test server, with credentials. */
export function testNatsUrl(): string {
  return testServerUrls().natsUrl;
}
