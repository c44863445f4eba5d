import { expect, it } from 'vitest';
import { showsChanges } from './shows-changes.ts';

const product = { name: 'Pro', description: null, isActive: false, metadata: { plan: 'gold', teamId: 'team_1' } };

it.each([
  [{}, true],
  [{ name: 'Pro', isActive: false }, true],
  [{ name: 'Pro', isActive: true }, false],
  [{ name: 'Team', isActive: undefined }, false],
  [{ name: undefined }, true],
  [{ description: '' }, true],
  [{ description: null }, true],
  [{ description: 'new' }, false],
  [{ name: null }, false],
  [{ metadata: { plan: 'gold' } }, true],
  [{ metadata: { plan: 'gold', colour: '' } }, true],
  [{ metadata: { plan: '' } }, false],
  [{ metadata: { colour: 'red' } }, false],
])('compares a product with the changes %j', (changes, expected) => {
  expect(showsChanges(product, changes)).toBe(expected);
});
