import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { identityTokenVerifier, type Principal } from '@billing/service/identity-token';
import { testIdentity } from '@billing/testing/identity';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createIdentityTokens } from './statements.ts';

const { privateKey, publicKey } = testIdentity('catalog');
const key = (): Principal => ({
  kind: 'api-key',
  keyId: ApiKeyId.create(),
  teamId: TeamId.create(),
  projectId: ProjectId.create(),
  scopes: ['products:read'],
});

it('states each principal to each service by itself', () => {
  const state = createIdentityTokens(privateKey, () => new Date());
  const one = key();
  const asked = [one, key(), { ...one, scopes: [] } as Principal, { kind: 'anonymous' } as const];
  for (const service of ['catalog', 'portal'] as const) {
    const verify = identityTokenVerifier(publicKey, service);
    for (let round = 0; round < 2; round += 1)
      expect(asked.map(principal => verify(state(service, principal)))).toEqual(asked);
  }
  expect(() => identityTokenVerifier(publicKey, 'portal')(state('catalog', one))).toThrow(
    expect.objectContaining({ status: 401 }),
  );
});

it('uses a statement again while it has most of its life before it', () => {
  // The signer reads the process's own clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const state = createIdentityTokens(privateKey, () => new Date());
  const principal = key();
  const first = state('catalog', principal);
  vi.advanceTimersByTime(19_000);
  expect(state('catalog', principal)).toBe(first);
  vi.advanceTimersByTime(2_000);
  expect(state('catalog', principal)).not.toBe(first);
});
