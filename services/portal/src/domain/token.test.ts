import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createToken, hashToken, isToken, keyFrom, tokenOfOperation } from './token.ts';

it('creates tokens of 256 bits that do not repeat', () => {
  const tokens = new Set(Array.from({ length: 1_000 }, createToken));
  expect(tokens.size).toBe(1_000);
  for (const token of tokens) {
    expect(isToken(token)).toBe(true);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
  }
});

it('derives the same token for the same operation and key only', () => {
  const key = keyFrom(randomBytes(32), 'portal-token');
  const token = tokenOfOperation(key, 'operation-1');
  expect(isToken(token)).toBe(true);
  expect(tokenOfOperation(key, 'operation-1')).toBe(token);
  expect(tokenOfOperation(key, 'operation-2')).not.toBe(token);
  expect(tokenOfOperation(keyFrom(randomBytes(32), 'portal-token'), 'operation-1')).not.toBe(token);
});
