import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { templatedPath } from './templated-path.ts';

const token = randomBytes(32).toString('base64url');
const encoded = Array.from(Buffer.from(token), byte => `%${byte.toString(16)}`).join('');

it.each([
  ['/portal/abc123', '/portal/:token'],
  ['/portal/abc123?tab=invoices', '/portal/:token'],
  ['/portal/abc123#top', '/portal/:token'],
  ['/Portal/abc123', '/Portal/:token'],
  ['/%70ortal/abc123', '/%70ortal/:token'],
  ['/api/portal/abc123/subscriptions/ps_1', '/api/portal/:token/subscriptions/ps_1'],
  ['/api/service/invitations/abc123/accept', '/api/service/invitations/:token/accept'],
  ['/api/service/teams/team_1?limit=1', '/api/service/teams/team_1'],
  [
    '/api/service/teams/team_1/projects/proj_1/portal/sessions',
    '/api/service/teams/team_1/projects/proj_1/portal/sessions',
  ],
  ['/customers/grace@example.com/x', '/customers/:address/x'],
  ['/customers/grace%40example.com', '/customers/:address'],
  ['/portal', '/portal'],
  ['/', '/'],
  ['', '/'],
])('keeps tokens, addresses and queries out of %s', (url, expected) => {
  expect(templatedPath(url)).toBe(expected);
});

it.each([
  [`/${token}`, '/:token'],
  [`/shop/portal/${token}/x`, '/shop/portal/:token/x'],
  [`/x/${token.slice(0, 40)}`, '/x/:token'],
  [`/x/${encoded}`, '/x/:token'],
  [`/x/(${token})`, '/x/:token'],
  [`/portal%2f${token}`, '/:malformed'],
  [`/x/${encodeURIComponent(encoded)}`, '/x/:malformed'],
  [`/x/%ff${token}`, '/x/:malformed'],
  [`http://host/portal/${token}`, 'http://host/portal/:token'],
])('finds the token in %s', (url, expected) => {
  expect(templatedPath(url)).toBe(expected);
});
