import { expect, it } from 'vitest';
import { readSettings } from './settings.ts';

it('has a default for everything', () => {
  expect(readSettings({}, [], '/home/project')).toEqual({
    dataDir: '/home/project/.data',
    gatewayPort: 8080,
    publicUrl: undefined,
    logLevel: 'info',
    databaseUrl: undefined,
    natsUrl: undefined,
    stripeApiBaseUrl: undefined,
    webhooksAllowAddresses: undefined,
    exporters: undefined,
    demo: true,
  });
});

it('treats an empty variable as absent', () => {
  const settings = readSettings({ GATEWAY_PORT: '', DATABASE_URL: '', BILLING_DATA_DIR: '' }, [], '/home/project');
  expect(settings).toMatchObject({ gatewayPort: 8080, databaseUrl: undefined, dataDir: '/home/project/.data' });
});

it('reads variables and arguments', () => {
  const settings = readSettings(
    { GATEWAY_PORT: '9090', BILLING_DATA_DIR: '/tmp/one', NATS_URL: 'nats://127.0.0.1:4222' },
    ['--no-demo'],
    '/home/project',
  );
  expect(settings).toMatchObject({
    gatewayPort: 9090,
    dataDir: '/tmp/one',
    natsUrl: 'nats://127.0.0.1:4222',
    demo: false,
  });
});

it.each([
  [{ GATEWAY_PORT: 'http' }, [], 'GATEWAY_PORT is wrong'],
  [{ GATEWAY_PORT: '70000' }, [], 'GATEWAY_PORT is wrong'],
  [{ PUBLIC_URL: 'http://localhost:8080/billing' }, [], 'PUBLIC_URL is wrong (Expected an address without path'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, [], 'DATABASE_URL is wrong'],
  [{}, ['--demo'], 'Unknown argument --demo'],
])('names the wrong setting in %o %o', (source, args, message) => {
  expect(() => readSettings(source, args, '/home/project')).toThrow(message);
});
