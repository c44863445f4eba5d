import { expect, it } from 'vitest';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { UNSEEN_BILLING } from './billing.ts';
import { isOurs, preferredCustomers, toContent, toProcessorChanges } from './customer.ts';

const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
const id = CustomerId.create();
const balance = { credit: 500, currency: 'usd' };
const current = {
  email: 'ada@example.com',
  name: 'Ada',
  externalId: 'user-7',
  metadata: { plan: 'pro' },
  balance,
  discountId: null,
  ...UNSEEN_BILLING,
};

const billing = {
  businessName: null,
  address: null,
  phone: null,
  taxExempt: 'none' as const,
  locale: null,
  invoiceFields: [],
};

const snapshot = (key: string, second: number, metadata: Record<string, string> = {}) => ({
  deleted: false as const,
  id: key,
  email: 'ada@example.com',
  name: null,
  metadata,
  createdAt: new Date(second * 1_000),
  defaultPaymentMethodId: null,
  testClockId: null,
  balance: null,
  discountId: null,
  billing,
  taxIds: null,
  taxLocation: null,
  isTaxed: null,
});
const theirs = { projectId: ProjectId.create() };

it.each([
  ['none', [], []],
  ['the oldest of other projects', [snapshot('new', 2, theirs), snapshot('old', 1, theirs)], ['old']],
  [
    'those that name no project, the oldest first',
    [snapshot('theirs', 0, theirs), snapshot('unnamed', 2), snapshot('older', 1)],
    ['older', 'unnamed'],
  ],
  [
    'those that name this project',
    [snapshot('unnamed', 1), snapshot('ours', 3, scope), snapshot('older', 2, scope)],
    ['older', 'ours'],
  ],
  ['the one made for it', [snapshot('ours', 1, scope), snapshot('made', 2, { ...scope, customerId: id })], ['made']],
  ['those of one second by id', [snapshot('b', 1), snapshot('a', 1)], ['a', 'b']],
])('prefers %s', (_what, candidates, preferred) => {
  expect(preferredCustomers(candidates, scope, id).map(found => found.id)).toEqual(preferred);
});

it('treats a customer as ours if it names this project or none', () => {
  expect(isOurs(snapshot('a', 1), scope)).toBe(true);
  expect(isOurs(snapshot('a', 1, scope), scope)).toBe(true);
  expect(isOurs(snapshot('a', 1, { teamId: '7', projectId: 'acme' }), scope)).toBe(true);
  expect(isOurs(snapshot('a', 1, theirs), scope)).toBe(false);
  expect(isOurs(snapshot('a', 1, { teamId: TeamId.create() }), scope)).toBe(false);
});

it('takes the processor’s content without foreign metadata or an empty e-mail', () => {
  const received = {
    ...snapshot('a', 1, { ...scope, externalId: 'theirs', crm: '7' }),
    email: ' Countess@Example.com ',
    balance,
    discountId: 'di_1',
  };
  expect(toContent(received, scope, current)).toEqual({
    email: 'countess@example.com',
    name: null,
    externalId: 'user-7',
    metadata: { crm: '7' },
    balance,
    discountId: 'di_1',
    billing,
    taxIds: null,
    taxLocation: 'unknown',
  });
  const shared = { ...snapshot('a', 1, { ...theirs, crm: '7' }), email: null, name: 'Lady' };
  expect(toContent(shared, scope, current)).toEqual({ ...current, billing, name: 'Lady', balance: null });
});

it('sends cleared fields empty, and the external id as metadata', () => {
  expect(toProcessorChanges(current, { name: null, externalId: null })).toEqual({
    name: '',
    metadata: { externalId: '' },
  });
  expect(toProcessorChanges(current, { externalId: 'user-8', metadata: { vip: 'yes' } })).toEqual({
    metadata: { plan: '', vip: 'yes', externalId: 'user-8' },
  });
  expect(toProcessorChanges(current, { email: 'bob@example.com' })).toEqual({ email: 'bob@example.com' });
});
