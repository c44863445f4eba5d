import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { portalToken } from '@billing/contracts/resources/portal-session';

/** Creates a portal token: 256 random bits as 43 characters of base64url. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** Derives the 32-byte key of `tokenOfOperation` from the service's key; neither key reveals the other. */
export const tokenKeyFrom = (serviceKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', serviceKey, '', 'portal-token', 32));

/** Returns the token of one operation, the same at every repeat. Without the key it can't be told from a random one. */
export const tokenOfOperation = (tokenKey: Buffer, operationKey: string): string =>
  createHmac('sha256', tokenKey).update(operationKey).digest('base64url');

/** Returns the SHA-256 of a token in hex, for storage. A token has 256 random bits, so salt would add nothing. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Returns whether a text has the form of a token. */
export const isToken = (text: string): boolean => portalToken.safeParse(text).success;
