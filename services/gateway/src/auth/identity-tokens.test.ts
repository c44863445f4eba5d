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

const read = (path: string) => ({ method: 'GET', path });
const ofReader = (principal: Principal) => ({ principal, caller: null });

it('signs a separate token for each principal and service', () => {
  const tokenFor = identityTokens(privateKey, () => new Date());
  const one = apiKey();
  const principals = [one, apiKey(), { ...one, scopes: [] } as Principal, { kind: 'anonymous' } as const];
  for (const service of ['catalog', 'portal'] as const) {
    const verify = identityTokenVerifier(publicKey, service);
    const check = (principal: Principal) =>
      verify(tokenFor(service, ofReader(principal), read('/a')), read('/a')).principal;
    for (let round = 0; round < 2; round += 1) expect(principals.map(check)).toEqual(principals);
  }
  expect(() =>
    identityTokenVerifier(publicKey, 'portal')(tokenFor('catalog', ofReader(one), read('/a')), read('/a')),
  ).toThrow(expect.objectContaining({ status: 401 }));
});

it('signs a separate token for each method and path', () => {
  const tokenFor = identityTokens(privateKey, () => new Date());
  const verify = identityTokenVerifier(publicKey, 'catalog');
  const reader = ofReader(apiKey());
  const requests = [read('/a'), read('/b'), { method: 'DELETE', path: '/a' }];
  for (const made of requests) {
    expect(verify(tokenFor('catalog', reader, made), made)).toEqual(reader);
    for (const other of requests.filter(request => request !== made))
      expect(() => verify(tokenFor('catalog', reader, made), other)).toThrow(expect.objectContaining({ status: 401 }));
  }
});

it('signs each write with its own caller', () => {
  const tokenFor = identityTokens(privateKey, () => new Date());
  const verify = identityTokenVerifier(publicKey, 'catalog');
  const request = { method: 'POST', path: '/a' };
  const principal = apiKey();
  for (const requestId of ['one', 'two']) {
    const identity = { principal, caller: { requestId, address: '192.0.2.1' } };
    expect(verify(tokenFor('catalog', identity, request), request)).toEqual(identity);
  }
});

it('reuses a token for 20 seconds', () => {
  // The signer reads the process's own clock.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const tokenFor = identityTokens(privateKey, () => new Date());
  const reader = ofReader(apiKey());
  const first = tokenFor('catalog', reader, read('/a'));
  vi.advanceTimersByTime(19_000);
  expect(tokenFor('catalog', reader, read('/a'))).toBe(first);
  vi.advanceTimersByTime(2_000);
  expect(tokenFor('catalog', reader, read('/a'))).not.toBe(first);
});
