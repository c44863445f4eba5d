import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalTarget } from './canonical-path.ts';

describe('a request path', () => {
  it.each([
    ['/', '/'],
    ['/health/live', '/health/live'],
    ['/portal/a-b_c~d?tab=%2e%2e', '/portal/a-b_c~d?tab=%2e%2e'],
    ['/api/%74eams', '/api/teams'],
    ['/a/caf%C3%A9', '/a/caf%C3%A9'],
    ['/a b', '/a%20b'],
    ['/api/', '/api/'],
    ['/api/service/teams/?limit=1', '/api/service/teams?limit=1'],
    ['/portal/', '/portal/'],
    ['/portal/a-b/', '/portal/a-b'],
    ['/api/external/a%2fb%25;%3f%23%5C/state', '/api/external/a%2Fb%25%3B%3F%23%5C/state'],
    [`/${'a'.repeat(4_095)}?q=${'b'.repeat(5_000)}`, `/${'a'.repeat(4_095)}?q=${'b'.repeat(5_000)}`],
  ])('%s becomes %s', (target, expected) => {
    expect(canonicalTarget(target)).toBe(expected);
  });

  it.each([
    '',
    '*',
    'http://evil.example/api/service/teams',
    '//evil.example/api',
    '/api//service',
    '/api/./service',
    '/api/../service',
    '/api/%2e%2e/service',
    '/api/%2E./service',
    '/api/..',
    '/api/a%2fb',
    '/api/a%2Fb',
    '/api/a%5cb',
    '/api/a\\b',
    '/api/a;b=c',
    '/api/a%3bb',
    '/api/%00',
    '/api/%0d%0aHost:x',
    '/api/%252f',
    '/api/%',
    '/api/%zz',
    '/api/%ff',
    '/api/%c0%af',
    '/api/%ed%a0%80',
    '/api#fragment',
    '/api?a#fragment',
    '/api?email=J%F6rg@acme.example',
    '/api?email=100%',
    '/api/a%23b',
    '/api/a%3fb',
    '/api/external/%2e%2e/state',
    '/api/external/a%00b',
    '/api/external/a/b%2fc',
    `/${'a'.repeat(4_096)}`,
    `/${'"'.repeat(1_400)}`,
  ])('%j is rejected', target => {
    expect(() => canonicalTarget(target)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is a fixed point without dot or empty segments once accepted', () => {
    const piece = fc.constantFrom('a', '/', '.', '..', '%2e', '%2f', '%', ';', '?', 'é', '\\', '%25', '~', '#');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        let canonical;
        try {
          canonical = canonicalTarget(`/${pieces.join('')}`);
        } catch {
          return;
        }
        expect(canonicalTarget(canonical)).toBe(canonical);
        const [path = ''] = canonical.split('?');
        expect(new URL(`http://x${path}`).pathname).toBe(path);
        expect(path).not.toMatch(/\/\/|;|%2f|%5c|\/\.\.?(\/|$)/i);
      }),
    );
  });
});
