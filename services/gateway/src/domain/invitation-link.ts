import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { conflict } from '@billing/contracts/problem';
import { secretLink, tokenOf } from './secret-link.ts';

const TOKEN_BYTES = 32;

/** Issues the secret links of invitations. */
export interface InvitationLinks {
  /** Returns a link whose token has 256 random bits; with an operation key, is derived from it and need not be stored. */
  readonly issue: (operationKey: string | undefined) => string;
  /**
   * Derives the link that an operation issued once more.
   * @throws Problem 409 `secret_not_repeatable` when `derivationKey` has changed since
   */
  readonly reissue: (operationKey: string, tokenHash: string) => string;
}

interface LinkOptions {
  readonly publicUrl: string;
  /** 32 bytes. */
  readonly derivationKey: Buffer;
}

/** Issues links to the page of an invitation. */
export function createInvitationLinks({ publicUrl, derivationKey }: LinkOptions): InvitationLinks {
  const linkWith = (token: Buffer) => secretLink(publicUrl, 'accept-invitation', token.toString('base64url'));
  const derived = (operationKey: string) =>
    linkWith(Buffer.from(hkdfSync('sha256', derivationKey, '', operationKey, TOKEN_BYTES)));
  return {
    issue: operationKey => (operationKey === undefined ? linkWith(randomBytes(TOKEN_BYTES)) : derived(operationKey)),
    reissue(operationKey, tokenHash) {
      const link = derived(operationKey);
      if (hashToken(tokenOf(link)) === tokenHash) return link;
      throw conflict('secret_not_repeatable', 'The link of this invitation cannot be shown again; invite once more.');
    },
  };
}

/** Returns what is stored of a token: its SHA-256 in hex. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
