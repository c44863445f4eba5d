import { expect, it } from 'vitest';
import { forgetPostgresVariables, inheritedEnvironment } from './inherited-environment.ts';

it('passes on what an operator sets for the services', () => {
  const set = { PATH: '/bin', RATE_LIMIT_PER_KEY: '5', HTTPS_PROXY: 'http://proxy', OTEL_SERVICE_NAME: 'x' };
  expect(inheritedEnvironment(set)).toEqual(set);
});

it('removes variables of the superuser’s database, npm and test runs', () => {
  const source = { DATABASE_URL: 'postgres://root@x/y', npm_config_x: '1', VITEST: 'true', TEST_NATS_URL: 'x' };
  expect(inheritedEnvironment(source)).toEqual({});
});

it('has nothing of what is meant for another PostgreSQL', () => {
  const env = { PGSSLMODE: 'require', PGOPTIONS: '-c x=y', PGHOST: 'elsewhere', PG_DUMP: '/bin/pg_dump', PATH: '/bin' };
  expect(inheritedEnvironment(env)).toEqual({ PATH: '/bin' });
  forgetPostgresVariables(env);
  expect(env).toEqual({ PG_DUMP: '/bin/pg_dump', PATH: '/bin' });
});
