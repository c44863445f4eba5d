import { TeamId } from '@billing/contracts/ids';
import { PROCESSOR_EVENT_OWNERS, isHandled } from '@billing/contracts/processor-events';
import { expect, it } from 'vitest';
import { RAW_TABLES, rawTableOf, teamSchemaName } from './raw-object.rules.ts';

it('has a table for every type that is handled', () => {
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  expect(new Set(types.map(rawTableOf))).toEqual(new Set(RAW_TABLES));
  expect(rawTableOf('customer.subscription.deleted')).toBe('subscriptions');
  expect(rawTableOf('customer.deleted')).toBe('customers');
});

it('names a schema after its team, and two teams never share one', () => {
  const plain = TeamId.create();
  expect(teamSchemaName(plain)).toBe(plain);
  const long = `team_${'a'.repeat(60)}` as const;
  const names = [`team_${'A'.repeat(20)}`, `team_${'a'.repeat(20)}`, long, `${long}b`].map(
    id => teamSchemaName(id as TeamId), // ids of the right shape
  );
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^team_[0-9a-z_]{1,58}$/);
});
