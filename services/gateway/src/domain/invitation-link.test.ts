import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivationKeyFrom } from './api-key-secret.ts';
import { createInvitationLinks, hashToken } from './invitation-link.ts';
import { tokenOf } from './secret-link.ts';

const linksWith = (secret: string) =>
  createInvitationLinks({
    publicUrl: 'https://billing.example',
    derivationKey: derivationKeyFrom(secret.repeat(32), 'invitation-tokens'),
  });

describe('the link of an invitation', () => {
  it('carries 256 bits, and nothing behind a #, which mail gateways cut', () => {
    expect(linksWith('a').issue(undefined)).toMatch(/^https:\/\/billing\.example\/accept-invitation\?token=[\w-]{43}$/);
    const links = Array.from({ length: 1_000 }, () => linksWith('a').issue(undefined));
    expect(new Set(links).size).toBe(1_000);
  });

  it('of an operation can be issued again, under the same key only', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        fc.pre(one !== other);
        const link = linksWith('a').issue(one);
        const hash = hashToken(tokenOf(link));
        expect(linksWith('a').reissue(one, hash)).toBe(link);
        expect(linksWith('a').issue(other)).not.toBe(link);
        const refusal = expect.objectContaining({ code: 'secret_not_repeatable' });
        expect(() => linksWith('b').reissue(one, hash)).toThrow(refusal);
      }),
    );
  });
});
