import { expect, it } from 'vitest';
import type { OpenPointStore } from '#limits/point-store.ts';
import { createRateLimits } from './rate-limits.ts';

const DEFAULTS = {
  RATE_LIMIT_PER_KEY: 600,
  RATE_LIMIT_PER_TEAM: 2_000,
  RATE_LIMIT_WEBHOOK_EVENTS: 500,
  RATE_LIMIT_SCALE: 1,
};
const openStore: OpenPointStore = () => ({
  add: async () => ({ total: 0, endsAt: 0 }),
  read: async () => 0,
});

/** The points of each limit. */
function pointsOf(variables: Partial<typeof DEFAULTS>) {
  const {
    knownAddresses: _addresses,
    usedCodes: _codes,
    ...limits
  } = createRateLimits({ ...DEFAULTS, ...variables }, openStore);
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit.peek('key').limit]));
}

const FIXED = {
  sessionCreation: 60,
  signIn: 10,
  signInFailures: 10,
  signInFailuresOfNewAddresses: 100,
  mails: 5,
  invitationMails: 20,
  badKeys: 20,
  badInvitations: 20,
  badPortalTokens: 20,
  portalLink: 60,
  portalSetup: 5,
};
const TUNED = {
  apiKey: 600,
  user: 600,
  session: 600,
  stateReads: 6_000,
  stateReadsOfTeam: 24_000,
  team: 2_000,
  webhookEvents: 5_000,
  // 32 MiB a second for ten seconds, in KiB.
  webhookBytes: 327_680,
};

it('has the documented limits', () => {
  expect(pointsOf({})).toEqual({ ...TUNED, ...FIXED });
});

it('multiplies the limits without a variable, and no other', () => {
  const scaled = Object.fromEntries(Object.entries(FIXED).map(([name, points]) => [name, 1_000 * points]));
  expect(pointsOf({ RATE_LIMIT_SCALE: 1_000 })).toEqual({ ...TUNED, ...scaled });
});

it('always has room for the largest webhook, and counts no further than a store can', () => {
  expect(pointsOf({ RATE_LIMIT_WEBHOOK_EVENTS: 1 })).toMatchObject({ webhookEvents: 10, webhookBytes: 10_240 });
  const huge = pointsOf({
    RATE_LIMIT_PER_KEY: 1e8,
    RATE_LIMIT_WEBHOOK_EVENTS: 1e8,
    RATE_LIMIT_SCALE: 1e8,
  });
  expect(Math.max(...Object.values(huge))).toBe(2e9);
});
