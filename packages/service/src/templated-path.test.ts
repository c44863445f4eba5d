import { expect, it } from 'vitest';
import { templatedPath } from './templated-path.ts';

it.each([
  ['/portal/abc123', '/portal/:token'],
  ['/portal/abc123?tab=invoices', '/portal/:token'],
  ['/api/portal/abc123/subscriptions/ps_1', '/api/portal/:token/subscriptions/ps_1'],
  ['/api/service/teams/team_1?limit=1', '/api/service/teams/team_1'],
])('keeps tokens and queries out of %s', (url, expected) => {
  expect(templatedPath(url)).toBe(expected);
});
