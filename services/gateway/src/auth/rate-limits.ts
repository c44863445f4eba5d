import { createHash } from 'node:crypto';
import { startCountingRefusals } from '#http/rate-limit-headers.ts';
import type { OpenPointStore, ReadablePointStore } from '#limits/point-store.ts';
import { sharedLimit, type SharedLimit } from '#limits/shared-limit.ts';
import type { GatewayEnv } from '../env.ts';

/** The limits of the environment. */
type LimitVariables = Pick<GatewayEnv, Extract<keyof GatewayEnv, `RATE_LIMIT_${string}`>>;

const MINUTE = 60;
const HOUR = 3_600;
/** Stripe delivers in bursts: a team may use up ten seconds' worth of webhooks at once. */
const WEBHOOK_BURST = 10;
/** Points are 32-bit integers, so bytes are counted in units of this many. */
export const BYTES_PER_POINT = 1_024;
/** One percent more is a 32-bit integer too. */
const MAX_POINTS = 2_000_000_000;
/** Of a team's webhooks on average: 32 MiB for 500. */
const BYTES_PER_WEBHOOK = 33_554_432 / 500;
/** The largest webhook must fit. */
const MAX_WEBHOOK_BYTES = 1_048_576;
/** How long an address from which an account signed in is remembered. */
const KNOWN_ADDRESS_SECONDS = 14 * 24 * HOUR;

/** Longer than a code is accepted: its own half minute, and the ones before and after. */
const CODE_SECONDS = 2 * MINUTE;

/** The limits and their windows, in seconds. */
const limitsOf = ({ RATE_LIMIT_SCALE: scale, ...env }: LimitVariables) => ({
  apiKey: { points: env.RATE_LIMIT_PER_KEY, seconds: MINUTE },
  user: { points: env.RATE_LIMIT_PER_KEY, seconds: MINUTE },
  /** Asked before the session is looked up. */
  session: { points: env.RATE_LIMIT_PER_KEY, seconds: MINUTE },
  team: { points: env.RATE_LIMIT_PER_TEAM, seconds: MINUTE },
  /** Checkout and portal sessions, per project. */
  sessionCreation: { points: 60 * scale, seconds: MINUTE },
  /** Of what customers may use, per API key. */
  stateReads: { points: 10 * env.RATE_LIMIT_PER_KEY, seconds: MINUTE },
  /** The same with all keys of a team. */
  stateReadsOfTeam: { points: 40 * env.RATE_LIMIT_PER_KEY, seconds: MINUTE },
  /** Sign-ups and sign-ins, per address. */
  signIn: { points: 10 * scale, seconds: MINUTE },
  /** Per account and address. */
  signInFailures: { points: 10 * scale, seconds: HOUR },
  /** Sent to an address, of all kinds. */
  mails: { points: 5 * scale, seconds: HOUR },
  /** Invitations that are sent for a team. */
  invitationMails: { points: 20 * scale, seconds: HOUR },
  signInFailuresOfNewAddresses: { points: 100 * scale, seconds: HOUR },
  /** API keys that do not work, per address. */
  badKeys: { points: 20 * scale, seconds: MINUTE },
  /** Links of invitations that do not work, per address. */
  badInvitations: { points: 20 * scale, seconds: MINUTE },
  /** Portal links that do not work, per address. */
  badPortalTokens: { points: 20 * scale, seconds: MINUTE },
  portalLink: { points: 60 * scale, seconds: MINUTE },
  portalSetup: { points: 5 * scale, seconds: HOUR },
  /** What is stored, per team. */
  webhookEvents: { points: env.RATE_LIMIT_WEBHOOK_EVENTS * WEBHOOK_BURST, seconds: WEBHOOK_BURST },
  webhookBytes: {
    points:
      (Math.max(env.RATE_LIMIT_WEBHOOK_EVENTS * BYTES_PER_WEBHOOK, MAX_WEBHOOK_BYTES) * WEBHOOK_BURST) /
      BYTES_PER_POINT,
    seconds: WEBHOOK_BURST,
  },
});

type LimitName = keyof ReturnType<typeof limitsOf>;

/** Points of limits in place of those that follow from the environment. */
export type LimitOverrides = Readonly<Partial<Record<LimitName, number>>>;

/** Every limit by name; each is counted by all copies of the gateway together. */
export type RateLimits = Readonly<Record<LimitName, SharedLimit>> & {
  /** The addresses from which accounts signed in lately: one point or more for each pair of them. */
  readonly knownAddresses: Pick<ReadablePointStore, 'add' | 'read'>;
  /** The codes of authenticator apps that were tried lately. */
  readonly usedCodes: Pick<ReadablePointStore, 'add'>;
};

/** Creates the limits in stores that all copies share. */
export function createRateLimits(
  env: LimitVariables,
  openStore: OpenPointStore,
  overrides: LimitOverrides = {},
): RateLimits {
  const defaults = limitsOf(env);
  const names = Object.keys(defaults) as LimitName[]; // its own keys
  startCountingRefusals(names);
  const limits = names.map(name => {
    const { points, seconds } = defaults[name];
    const limit = Math.min(Math.floor(overrides[name] ?? points), MAX_POINTS);
    return [name, sharedLimit({ name, store: openStore({ name, seconds }), limit })];
  });
  return {
    ...(Object.fromEntries(limits) as Record<LimitName, SharedLimit>), // one for each name
    knownAddresses: openStore({ name: 'knownAddresses', seconds: KNOWN_ADDRESS_SECONDS }),
    usedCodes: openStore({ name: 'usedCodes', seconds: CODE_SECONDS }),
  };
}

/** Returns the key of a limit for a text that is secret, personal or long: its SHA-256. */
export const hashedKey = (text: string): string => createHash('sha256').update(text).digest('base64url');
