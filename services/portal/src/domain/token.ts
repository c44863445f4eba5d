import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { portalToken } from '@billing/contracts/resources/portal-session';

/** Creates a portal token: 256 random bits as 43 characters of base64url. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** Derives a key of 32 bytes for one purpose from the service's key; none reveals another. */
export const keyFrom = (serviceKey: Buffer, purpose: 'portal-token' | 'portal-draft'): Buffer =>
  Buffer.from(hkdfSync('sha256', serviceKey, '', purpose, 32));

/** Returns the token of one operation, the same at every repeat. Without the key it can't be told from a random one. */
export const tokenOfOperation = (tokenKey: Buffer, operationKey: string): string =>
  createHmac('sha256', tokenKey).update(operationKey).digest('base64url');

/** Returns the SHA-256 of a token in hex, for storage. A token has 256 random bits, so salt would add nothing. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Returns whether a text has the form of a token. */
export const isToken = (text: string): boolean => portalToken.safeParse(text).success;
