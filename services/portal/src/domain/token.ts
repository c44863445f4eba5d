import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { portalToken } from '@billing/contracts/resources/portal-session';

/** A new portal token: 256 random bits, base64url, 43 characters. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** The key for tokens that can be made again, from the key that opens credentials; neither tells the other. */
export const tokenKeyFrom = (credentialsKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', credentialsKey, '', 'portal-token', 32));

/** The token of one operation, the same whenever it is repeated: as good as random for whoever lacks the 32-byte key. */
export const tokenOfOperation = (tokenKey: Buffer, operationKey: string): string =>
  createHmac('sha256', tokenKey).update(operationKey).digest('base64url');

/** What is kept of a token: its SHA-256 in hex. It has 256 random bits, so neither salt nor stretching adds anything. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Whether a text could be a token at all. */
export const isToken = (text: string): boolean => portalToken.safeParse(text).success;
