import { PriceId, ProjectId, TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { parseMigration } from './migration-arguments.ts';

const env = { BILLING_API_KEY: 'bil_test_x' };
const prices = ['--from', PriceId.create(), '--to', PriceId.create()];
const args = ['--team', TeamId.create(), '--project', ProjectId.create(), ...prices];

it('reports all subscriptions of the price unless told otherwise', () => {
  expect(parseMigration(args, env)).toMatchObject({ apply: false, 'remove-discounts': false, filter: {} });
});

it.each([
  [args.slice(0, -2), '--to'],
  [[...args, '--created-before', 'May'], '--created-before'],
  [[...args, '--mark'], '--mark'],
])('says what is wrong with %j', (given, message) => {
  expect(() => parseMigration(given, env)).toThrow(message);
});
