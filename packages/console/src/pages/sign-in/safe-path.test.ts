import { expect, it } from 'vitest';
import { safePath } from './safe-path.ts';

it('keeps a path of this site', () => {
  expect(safePath('/teams/team_1/projects/proj_1/events?status=failed')).toBe(
    '/teams/team_1/projects/proj_1/events?status=failed',
  );
});

it.each([
  '//evil.example',
  '/.//evil.example',
  '/x/%2e%2E//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/a\tb',
  '',
  undefined,
])('refuses %j', path => {
  expect(safePath(path)).toBeUndefined();
});
