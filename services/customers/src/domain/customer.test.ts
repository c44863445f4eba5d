import { expect, it } from 'vitest';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { chooseExisting, toContent, isOurs } from './customer.ts';

const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
const id = CustomerId.create();
const current = { email: 'ada@example.com', name: 'Ada', metadata: { plan: 'pro' } };

const snapshot = (key: string, second: number, metadata: Record<string, string> = {}) => ({
  deleted: false as const,
  id: key,
  email: 'ada@example.com',
  name: null,
  metadata,
  createdAt: new Date(second * 1_000),
  defaultPaymentMethodId: null,
});
const theirs = { projectId: ProjectId.create() };

it.each([
  ['none', [], undefined],
  ['the oldest', [snapshot('new', 2, theirs), snapshot('old', 1, theirs)], 'old'],
  ['one that names no project', [snapshot('old', 1, theirs), snapshot('unnamed', 2)], 'unnamed'],
  ['one that names this project', [snapshot('unnamed', 1), snapshot('ours', 2, scope)], 'ours'],
  ['the one made for it', [snapshot('ours', 1, scope), snapshot('made', 2, { ...scope, customerId: id })], 'made'],
  ['the first of one second by id', [snapshot('b', 1), snapshot('a', 1)], 'a'],
])('chooses %s', (_what, candidates, chosen) => {
  expect(chooseExisting(candidates, scope, id)?.id).toBe(chosen);
});

it('treats a customer as ours if it names this project or none', () => {
  expect(isOurs(snapshot('a', 1), scope)).toBe(true);
  expect(isOurs(snapshot('a', 1, scope), scope)).toBe(true);
  expect(isOurs(snapshot('a', 1, theirs), scope)).toBe(false);
  expect(isOurs(snapshot('a', 1, { teamId: TeamId.create() }), scope)).toBe(false);
});

it('takes the processor’s content without foreign metadata or an empty e-mail', () => {
  const received = { ...snapshot('a', 1, { ...scope, crm: '7' }), email: ' Countess@Example.com ' };
  expect(toContent(received, scope, current)).toEqual({
    email: 'countess@example.com',
    name: null,
    metadata: { crm: '7' },
  });
  const shared = { ...snapshot('a', 1, { ...theirs, crm: '7' }), email: null, name: 'Lady' };
  expect(toContent(shared, scope, current)).toEqual({ ...current, name: 'Lady' });
});
