import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { addressGroup } from '#domain/address-group.ts';

/** How many requests are allowed per minute. */
export interface RateLimitSettings {
  readonly perKey: number;
  /** Checkout and portal sessions created, per project. */
  readonly sessionCreation: number;
  /** Sign-ins, per address. */
  readonly signIn: number;
  /** Unknown portal tokens, per address. */
  readonly badPortalTokens: number;
}

/** Counts requests in this process only. Every method but the last throws a 429 Problem with the time to wait. */
export interface RateLimits {
  takeApiKey(keyId: string): Promise<void>;
  takeSessionCreation(scope: ProjectScope): Promise<void>;
  takeSignIn(address: string): Promise<void>;
  /** Counts nothing; rejects an address that sent too many unknown tokens. */
  checkPortalTokens(address: string): Promise<void>;
  countBadPortalToken(address: string): Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Creates rate limits that are kept in memory. */
export function createRateLimits(settings: RateLimitSettings): RateLimits {
  const limiter = (keyPrefix: keyof RateLimitSettings) =>
    new RateLimiterMemory({ keyPrefix, points: settings[keyPrefix], duration: WINDOW_SECONDS });
  const apiKeys = limiter('perKey');
  const sessionCreations = limiter('sessionCreation');
  const signIns = limiter('signIn');
  const badPortalTokens = limiter('badPortalTokens');
  return {
    takeApiKey: keyId => take(apiKeys, keyId),
    takeSessionCreation: ({ teamId, projectId }) => take(sessionCreations, `${teamId}/${projectId}`),
    takeSignIn: address => take(signIns, addressGroup(address)),
    async checkPortalTokens(address) {
      const usage = await badPortalTokens.get(addressGroup(address));
      if (usage && usage.consumedPoints >= settings.badPortalTokens) throw rateLimited(usage);
    },
    async countBadPortalToken(address) {
      await badPortalTokens.penalty(addressGroup(address));
    },
  };
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (err) {
    if (err instanceof RateLimiterRes) throw rateLimited(err);
    throw err;
  }
}

function rateLimited({ msBeforeNext }: RateLimiterRes): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new Problem('rate_limited', 'rate_limited', 'Too many requests; try again later.', { retryAfterSeconds });
}
