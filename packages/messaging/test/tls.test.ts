import { certificate, startTlsNats } from '@billing/testing/tls-servers';
import { testNatsUrl } from '@billing/testing/nats';
import { afterAll, expect, it } from 'vitest';
import { brokerAddress, connectTo } from '../src/connection.ts';

const server = await startTlsNats();
afterAll(() => server[Symbol.asyncDispose]());
const CA = `ca=${certificate('ca.crt')}`;

/** Returns the server that responded. */
async function connectBy(url: string): Promise<string> {
  const connection = await connectTo(brokerAddress(url), 'test');
  await connection.flush();
  const connected = connection.getServer();
  await connection.close();
  return connected;
}
const urlOf = (scheme: string, query: string, host = 'localhost') =>
  `${scheme}://billing:${server.password}@${host}:${server.port}?${query}`;

it('connects to a server that demands TLS, whose certificate its authority signed', async () => {
  expect(await connectBy(urlOf('tls', CA))).toBe(`localhost:${server.port}`);
});

it.each([
  [urlOf('tls', `ca=${certificate('other-ca.crt')}`), 'certificate'],
  [urlOf('tls', ''), 'certificate'],
  [urlOf('tls', CA, '127.0.0.1'), "IP: 127.0.0.1 is not in the cert's list"],
  [urlOf('nats', ''), 'certificate'],
])('does not connect with %s', async (url, reason) => {
  await expect(connectBy(url)).rejects.toThrow(reason);
});

it('does not send its password to a server without TLS', async () => {
  const { host } = new URL(testNatsUrl());
  await expect(connectBy(`tls://billing:secret@${host}?${CA}`)).rejects.toThrow(/does not support 'tls'/);
});
