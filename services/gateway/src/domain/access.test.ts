import { expect, it } from 'vitest';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { allOperations } from '@billing/contracts/operations/index';
import { Problem } from '@billing/contracts/problem';
import { SCOPES } from '@billing/contracts/scopes';
import { requireGrant, requireRole, type KeyGrant } from './access.ts';

const named = { teamId: TeamId.create(), projectId: ProjectId.create() };
const key: KeyGrant = { ...named, keyId: ApiKeyId.create(), scopes: [...SCOPES] };

it.each(allOperations.map(({ id, access }) => ({ id, access })))(
  'lets a key with every scope into $id only if it is a project operation',
  ({ access }) => {
    expect(isRefused(() => requireGrant(access, named, key))).toBe(access.kind !== 'project');
  },
);

function isRefused(decide: () => void): boolean {
  try {
    decide();
    return false;
  } catch (err) {
    if (err instanceof Problem && err.status === 403 && err.details === undefined) return true;
    throw err;
  }
}

it('grants exactly the scope that is named: write does not imply read', () => {
  const access = { kind: 'project', scope: 'products:read' } as const;
  expect(() => requireGrant(access, named, { ...key, scopes: ['products:write'] })).toThrow(
    expect.objectContaining({ status: 403, details: { requiredScope: 'products:read' } }),
  );
});

it('answers the same to a key of another team, project or scope-less stranger', () => {
  const access = { kind: 'project', scope: 'products:read' } as const;
  for (const stranger of [{ teamId: TeamId.create() }, { projectId: ProjectId.create() }, { scopes: [] as const }])
    expect(() => requireGrant(access, { ...named, teamId: TeamId.create() }, { ...key, ...stranger })).toThrow(
      expect.objectContaining({ status: 403, details: undefined }),
    );
});

it('keeps members out of what is the owner’s, and strangers out of everything of a team', () => {
  const refused = expect.objectContaining({ status: 403 });
  expect(() => requireRole({ kind: 'team', role: 'owner' }, 'member')).toThrow(refused);
  expect(() => requireRole({ kind: 'team', role: 'owner' }, 'owner')).not.toThrow();
  expect(() => requireRole({ kind: 'team', role: 'member' }, undefined)).toThrow(refused);
  expect(() => requireRole({ kind: 'project-session' }, undefined)).toThrow(refused);
  expect(() => requireRole({ kind: 'project', scope: 'products:read' }, 'member')).not.toThrow();
  expect(() => requireRole({ kind: 'session' }, undefined)).not.toThrow();
});
