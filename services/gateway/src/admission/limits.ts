import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { addressGroup } from '#domain/address-group.ts';

/** How much is allowed in a minute. */
export interface LimitSettings {
  readonly perKey: number;
  /** Checkout and portal sessions, for each project. */
  readonly sessionCreation: number;
  /** For each address. */
  readonly signIn: number;
  /** For each address. */
  readonly badPortalTokens: number;
}

/** Counts in this process: a second gateway counts by itself. Each `take` throws 429 with the time to wait. */
export interface Limits {
  takeKey(keyId: string): Promise<void>;
  takeSessionCreation(scope: ProjectScope): Promise<void>;
  takeSignIn(address: string): Promise<void>;
  /** Throws 429 once too many bad tokens came from the address. */
  checkPortalTokens(address: string): Promise<void>;
  countBadPortalToken(address: string): Promise<void>;
}

const MINUTE_S = 60;

/** Limits in memory. */
export function createLimits(settings: LimitSettings): Limits {
  const limiter = (keyPrefix: keyof LimitSettings) =>
    new RateLimiterMemory({ keyPrefix, points: settings[keyPrefix], duration: MINUTE_S });
  const keys = limiter('perKey');
  const sessions = limiter('sessionCreation');
  const signIns = limiter('signIn');
  const badTokens = limiter('badPortalTokens');
  return {
    takeKey: keyId => take(keys, keyId),
    takeSessionCreation: ({ teamId, projectId }) => take(sessions, `${teamId}/${projectId}`),
    takeSignIn: address => take(signIns, addressGroup(address)),
    async checkPortalTokens(address) {
      const counted = await badTokens.get(addressGroup(address));
      if (counted && counted.consumedPoints >= settings.badPortalTokens) throw limited(counted);
    },
    async countBadPortalToken(address) {
      await badTokens.penalty(addressGroup(address));
    },
  };
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (err) {
    if (err instanceof RateLimiterRes) throw limited(err);
    throw err;
  }
}

function limited({ msBeforeNext }: RateLimiterRes): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return new Problem('rate_limited', 'rate_limited', 'Too many requests; try again later.', { retryAfterSeconds });
}
