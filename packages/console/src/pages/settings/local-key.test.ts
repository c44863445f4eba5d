import { expect, it } from 'vitest';
import { localKeyOf, suggestLocalKey } from './local-key.ts';

it('gives a team the same key each time, and each team its own', () => {
  expect(localKeyOf('team_abc123')).toMatch(/^sk_test_[A-Za-z0-9]{8,}$/);
  expect(localKeyOf('team_abc123')).toBe(localKeyOf('team_abc123'));
  expect(localKeyOf('team_abc123')).not.toBe(localKeyOf('team_abc124'));
});

it('suggests no key of another account than the one whose records are here', () => {
  const key = localKeyOf('team_abc123');
  expect(suggestLocalKey('team_abc123', null)).toBe(key);
  expect(suggestLocalKey('team_abc123', { secretKeyLast4: 'c123' })).toBe(key);
  expect(suggestLocalKey('team_abc123', { secretKeyLast4: '0001' })).toBe('');
});
