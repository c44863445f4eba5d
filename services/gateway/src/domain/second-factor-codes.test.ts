import { expect, it } from 'vitest';
import { asGivenOut, newBackupCodes } from './second-factor-codes.ts';

it('backup codes differ, and have no characters that look alike', () => {
  const codes = newBackupCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-hjkmnp-z2-9]{5}-[a-hjkmnp-z2-9]{5}$/);
});

it.each([
  ['totp', '123 456', '123456'],
  ['totp', '123-456\u00a0', '123456'],
  ['backup', 'ABCDE fgh23', 'abcde-fgh23'],
  ['backup', 'abcdefgh23', 'abcde-fgh23'],
  ['backup', 'abcde–fgh23', 'abcde-fgh23'],
] as const)('%s: %j is %j', (kind, typed, code) => {
  expect(asGivenOut(kind, typed)).toBe(code);
});
