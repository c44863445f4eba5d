import { expect, it } from 'vitest';
import { inheritedEnvironment } from './inherited-environment.ts';

it('passes on what an operator sets for the services', () => {
  const set = { PATH: '/bin', RATE_LIMIT_PER_KEY: '5', HTTPS_PROXY: 'http://proxy', OTEL_SERVICE_NAME: 'x' };
  expect(inheritedEnvironment(set)).toEqual(set);
});

it('removes variables of the superuser’s database, npm and test runs', () => {
  const source = { DATABASE_URL: 'postgres://root@x/y', npm_config_x: '1', VITEST: 'true', TEST_NATS_URL: 'x' };
  expect(inheritedEnvironment(source)).toEqual({});
});
