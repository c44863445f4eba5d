import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { identityTokenVerifier, type Principal } from '@billing/service/identity-token';
import { testIdentity } from '@billing/service/testing/identity';
import { expect, it, onTestFinished, vi } from 'vitest';
import { identityTokens } from './identity-tokens.ts';

const { privateKey, publicKey } = testIdentity('catalog');
const apiKey = (): Principal => ({
  kind: 'api-key',
  keyId: ApiKeyId.create(),
  teamId: TeamId.create(),
  projectId: ProjectId.create(),
  scopes: ['products:read'],
});

it('signs a separate token for each principal and service', () => {
  const tokenFor = identityTokens(privateKey, () => new Date());
  const one = apiKey();
  const principals = [one, apiKey(), { ...one, scopes: [] } as Principal, { kind: 'anonymous' } as const];
  for (const service of ['catalog', 'portal'] as const) {
    const verify = identityTokenVerifier(publicKey, service);
    for (let round = 0; round < 2; round += 1)
      expect(principals.map(principal => verify(tokenFor(service, principal)))).toEqual(principals);
  }
  expect(() => identityTokenVerifier(publicKey, 'portal')(tokenFor('catalog', one))).toThrow(
    expect.objectContaining({ status: 401 }),
  );
});

it('reuses a token for 20 seconds', () => {
  // The signer reads the process's own clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const tokenFor = identityTokens(privateKey, () => new Date());
  const principal = apiKey();
  const first = tokenFor('catalog', principal);
  vi.advanceTimersByTime(19_000);
  expect(tokenFor('catalog', principal)).toBe(first);
  vi.advanceTimersByTime(2_000);
  expect(tokenFor('catalog', principal)).not.toBe(first);
});
