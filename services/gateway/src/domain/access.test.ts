import { expect, it } from 'vitest';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { allOperations } from '@billing/contracts/operations/index';
import { Problem } from '@billing/contracts/problem';
import { SCOPES } from '@billing/contracts/scopes';
import { requireGrant, requireRole, type KeyGrant } from './access.ts';

const tenant = { teamId: TeamId.create(), projectId: ProjectId.create() };
const key: KeyGrant = {
  ...tenant,
  keyId: ApiKeyId.create(),
  scopes: [...SCOPES],
  mode: 'test',
  accountLivemode: false,
};

it.each(allOperations.map(({ id, access }) => ({ id, access })))(
  'lets a key with every scope call $id only if it is a project operation',
  ({ access }) => {
    expect(isForbidden(() => requireGrant(access, tenant, key))).toBe(access.kind !== 'project');
  },
);

function isForbidden(decide: () => void): boolean {
  try {
    decide();
    return false;
  } catch (err) {
    if (err instanceof Problem && err.status === 403 && err.details === undefined) return true;
    throw err;
  }
}

it('requires the exact scope: write does not imply read', () => {
  const access = { kind: 'project', scopes: ['products:read'] } as const;
  expect(() => requireGrant(access, tenant, { ...key, scopes: ['products:write'] })).toThrow(
    expect.objectContaining({ status: 403, details: { requiredScope: 'products:read' } }),
  );
});

it('refuses a test key on a live account, and no other', () => {
  const access = { kind: 'project', scopes: ['products:read'] } as const;
  const require = (mode: 'test' | 'live', accountLivemode: boolean | null) => () =>
    requireGrant(access, tenant, { ...key, mode, accountLivemode });
  const refusal = expect.objectContaining({ status: 403, code: 'test_key_on_live_account' });
  expect(require('test', true)).toThrow(refusal);
  for (const accountLivemode of [false, null]) expect(require('test', accountLivemode)).not.toThrow();
  for (const accountLivemode of [true, false, null]) expect(require('live', accountLivemode)).not.toThrow();
});

it('names no scope to a key of another team or project', () => {
  const access = { kind: 'project', scopes: ['products:read'] } as const;
  for (const other of [{ teamId: TeamId.create() }, { projectId: ProjectId.create() }])
    for (const scopes of [[...SCOPES], []])
      expect(() => requireGrant(access, tenant, { ...key, ...other, scopes })).toThrow(
        expect.objectContaining({ status: 403, details: undefined }),
      );
});

it('keeps members out of owner operations, and non-members out of the whole team', () => {
  const forbidden = expect.objectContaining({ status: 403 });
  expect(() => requireRole({ kind: 'team', role: 'owner' }, 'member')).toThrow(forbidden);
  expect(() => requireRole({ kind: 'team', role: 'owner' }, 'owner')).not.toThrow();
  expect(() => requireRole({ kind: 'team', role: 'member' }, undefined)).toThrow(forbidden);
  expect(() => requireRole({ kind: 'project-session' }, undefined)).toThrow(forbidden);
  expect(() => requireRole({ kind: 'project', scopes: ['products:read'] }, 'member')).not.toThrow();
  expect(() => requireRole({ kind: 'session' }, undefined)).not.toThrow();
});
