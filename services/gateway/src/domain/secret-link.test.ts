import { expect, it } from 'vitest';
import { LINK_PAGES, secretLink, tokenOf } from './secret-link.ts';

it.each(LINK_PAGES)('has the token of a link to %s where mail gateways leave it', page => {
  const link = secretLink('https://billing.example', page, 'a-b_c');
  expect(new URL(link).hash).toBe('');
  expect(tokenOf(link)).toBe('a-b_c');
});
