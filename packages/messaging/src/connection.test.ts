import { expect, it } from 'vitest';
import { brokerAddress, checkVersion, unprotectedBroker } from './connection.ts';

function warningsOf(version: string, host: string): string[] {
  const warnings: string[] = [];
  checkVersion(version, [host], { warn: (_fields: unknown, message: string) => void warnings.push(message) } as never); // only `warn` is called
  return warnings;
}

it('accepts nats-server 2.10 and newer anywhere, without a warning', () => {
  for (const version of ['2.10.0', '2.12.15', '2.15.1', '2.14.0-beta.1', '3.0.0'])
    expect(warningsOf(version, 'nats.example.com:4222')).toEqual([]);
});

it('accepts 2.9 on this machine only, with a warning', () => {
  for (const host of ['127.0.0.1:4222', 'localhost:4222', '[::1]:4222', '127.0.1.1'])
    expect(warningsOf('2.9.10', host)).toEqual([expect.stringContaining('install 2.10 or newer')]);
  for (const host of ['nats:4222', '10.0.0.1:4222', '127.0.0.1.example.com:4222', 'localhost.example.com'])
    expect(() => warningsOf('2.9.10', host)).toThrow(`NATS at ${host} has version 2.9.10. Install nats-server 2.10`);
});

it('refuses servers older than 2.9, and those that do not say their version', () => {
  for (const version of ['2.8.4', '1.99.0', '', 'unknown'])
    expect(() => warningsOf(version, 'localhost:4222')).toThrow('Install nats-server 2.10 or newer');
});

it('reads host, credentials and the prefix of JetStream’s API from a URL', () => {
  expect(brokerAddress('nats://catalog:p%40ss@nats:4222?api=EVENTS.API')).toEqual({
    hosts: ['nats:4222'],
    user: 'catalog',
    password: 'p@ss',
    apiPrefix: 'EVENTS.API',
  });
  expect(brokerAddress('localhost')).toEqual({
    hosts: ['localhost'],
    user: '',
    password: '',
    apiPrefix: undefined,
  });
});

it('reads the servers of a cluster from a URL', () => {
  expect(brokerAddress('nats://catalog:p%40ss@a:4222,b:4223,[::1]:4224?api=EVENTS.API')).toEqual({
    hosts: ['a:4222', 'b:4223', '[::1]:4224'],
    user: 'catalog',
    password: 'p@ss',
    apiPrefix: 'EVENTS.API',
  });
  expect(brokerAddress('a:4222,b:4222')).toMatchObject({ hosts: ['a:4222', 'b:4222'], user: '' });
});

it.each([
  ['ws://nats.example.com', 'the scheme ws:// is unknown'],
  ['nats://a:4222,nats://b:4222', 'there is a mistake'],
  ['nats://a:4222/events', 'there is a mistake'],
  ['nats://a?tls=on', 'tls=on contradicts the scheme'],
  ['tls://a?tls=off', 'tls=off contradicts the scheme'],
  ['nats://a?ca=/x', 'ca, cert and key are only used with the scheme tls'],
  ['tls://a?cert=/x', 'cert and key need each other'],
  ['tls://a?ca=/nowhere/ca.crt', "The file /nowhere/ca.crt of ca can't be read"],
  ['nats://a?timeout=5', 'the parameter timeout is not used'],
  ['nats://a?api=A&api=B', 'the parameter api stands there twice'],
])('refuses %s', (url, reason) => {
  expect(() => brokerAddress(url)).toThrow(reason);
});

it('takes the scheme of a URL for what it says', () => {
  expect(brokerAddress('nats://a:4222').tls).toBeUndefined();
  expect(brokerAddress('nats://a:4222?tls=off').tls).toBe('off');
  expect(brokerAddress('tls://a:4222').tls).toBeTypeOf('object');
});

it('warns about servers elsewhere without TLS, unless that is meant', () => {
  const warningOf = (url: string) => unprotectedBroker(brokerAddress(url));
  expect(warningOf('nats://u:secret@a.example:4222,127.0.0.1')).toMatch(
    /^NATS at a\.example:4222, 127\.0\.0\.1 is used/,
  );
  for (const url of [
    'nats://localhost:4222',
    '127.0.0.1',
    'nats://[::1]',
    'nats://a.example?tls=off',
    'tls://a.example',
  ])
    expect(warningOf(url)).toBeUndefined();
});
