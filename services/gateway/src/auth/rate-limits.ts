import { createHash } from 'node:crypto';
import { startCountingRefusals } from '#http/rate-limit-headers.ts';
import type { OpenPointStore, ReadablePointStore } from '#limits/point-store.ts';
import { sharedLimit, type SharedLimit } from '#limits/shared-limit.ts';

export interface RateLimitSettings {
  /** Requests a minute of an API key, and of a signed-in user. */
  readonly perKey: number;
  /** Requests a minute with all API keys and sessions of a team. */
  readonly perTeam: number;
  /** Checkout and portal sessions created a minute, per project. */
  readonly sessionCreation: number;
  /** Sign-ups and sign-ins a minute, per address. */
  readonly signIn: number;
  /** Failed sign-ins an hour, per account and address; ten times as many from all new addresses together. */
  readonly signInFailures: number;
  /** API keys that do not work, a minute and address. */
  readonly badKeys: number;
  /** Portal tokens that do not work, a minute and address. */
  readonly badPortalTokens: number;
  /** Requests a minute with a valid portal link. */
  readonly portalLink: number;
  /** Setup sessions an hour of a valid portal link. */
  readonly portalSetup: number;
  /** Webhook events a second that are stored, per team. */
  readonly webhookEvents: number;
  /** Bytes a second of webhook events that are stored, per team. */
  readonly webhookBytes: number;
}

const MINUTE = 60;
const HOUR = 3_600;
/** Stripe delivers in bursts: a team may use up ten seconds' worth of webhooks at once. */
const WEBHOOK_BURST = 10;
/** Points are 32-bit integers, so bytes are counted in units of this many. */
export const BYTES_PER_POINT = 1_024;
/** How long an address from which an account signed in is remembered. */
const KNOWN_ADDRESS_SECONDS = 14 * 24 * HOUR;

/** The limits and their windows, in seconds. */
const limitsOf = (settings: RateLimitSettings) => ({
  apiKey: { points: settings.perKey, seconds: MINUTE },
  user: { points: settings.perKey, seconds: MINUTE },
  team: { points: settings.perTeam, seconds: MINUTE },
  sessionCreation: { points: settings.sessionCreation, seconds: MINUTE },
  signIn: { points: settings.signIn, seconds: MINUTE },
  signInFailures: { points: settings.signInFailures, seconds: HOUR },
  signInFailuresOfNewAddresses: { points: 10 * settings.signInFailures, seconds: HOUR },
  badKeys: { points: settings.badKeys, seconds: MINUTE },
  badPortalTokens: { points: settings.badPortalTokens, seconds: MINUTE },
  portalLink: { points: settings.portalLink, seconds: MINUTE },
  portalSetup: { points: settings.portalSetup, seconds: HOUR },
  webhookEvents: { points: settings.webhookEvents * WEBHOOK_BURST, seconds: WEBHOOK_BURST },
  webhookBytes: {
    points: Math.floor((settings.webhookBytes * WEBHOOK_BURST) / BYTES_PER_POINT),
    seconds: WEBHOOK_BURST,
  },
});

type LimitName = keyof ReturnType<typeof limitsOf>;

/** Every limit by name; each is counted by all copies of the gateway together. */
export type RateLimits = Readonly<Record<LimitName, SharedLimit>> & {
  /** The addresses from which accounts signed in lately: one point or more for each pair of them. */
  readonly knownAddresses: Pick<ReadablePointStore, 'add' | 'read'>;
};

/** Creates the limits in stores that all copies share. */
export function createRateLimits(settings: RateLimitSettings, openStore: OpenPointStore): RateLimits {
  startCountingRefusals(Object.keys(limitsOf(settings)));
  const limits = Object.entries(limitsOf(settings)).map(([name, { points, seconds }]) => [
    name,
    sharedLimit({ name, store: openStore({ name, seconds }), limit: points }),
  ]);
  return {
    ...(Object.fromEntries(limits) as Record<LimitName, SharedLimit>), // one for each name
    knownAddresses: openStore({ name: 'knownAddresses', seconds: KNOWN_ADDRESS_SECONDS }),
  };
}

/** Returns the key of a limit for a text that is secret, personal or long: its SHA-256. */
export const hashedKey = (text: string): string => createHash('sha256').update(text).digest('base64url');
