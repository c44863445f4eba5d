import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import { chapterOf, type Chapter } from './chapters.ts';
import type { Share } from './figures.ts';
import {
  lifetimeOf,
  sharesOfCode,
  sharesOfCustomer,
  sharesOfReferral,
  sharesOfSubscription,
  sharesOfWebhookEvent,
  type Lifetime,
} from './shares.ts';

const SUBJECT_KINDS = ['customer', 'subscription', 'webhook-event', 'referral-code', 'referral'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** The state of something that counts, as a fact or its owner told it. */
export interface Sighting {
  readonly teamId: TeamId;
  readonly kind: SubjectKind;
  readonly id: string;
  /** Null while it belongs to no project, where it counts nowhere. */
  readonly projectId: ProjectId | null;
  /** 1 and up; a higher one is newer. */
  readonly version: number;
  readonly recordedAt: Date;
  /** What this state adds, but for the movements, which all its versions make together. */
  readonly shares: readonly Share[];
  readonly lifetime: Lifetime | null;
  readonly chapter: Chapter | null;
}

/** Who told a state, and when it was recorded. */
export interface Telling {
  readonly teamId: TeamId;
  readonly recordedAt: Date;
}

export function seenCustomer(telling: Telling, state: CustomerState): Sighting {
  return { ...telling, kind: 'customer', ...identityOf(state), ...counting(sharesOfCustomer(state)) };
}

export function seenSubscription(telling: Telling, state: SubscriptionState): Sighting {
  const lifetime = lifetimeOf(state);
  const shares = sharesOfSubscription(state, lifetime);
  const chapter = chapterOf(state, telling.recordedAt);
  return { ...telling, kind: 'subscription', ...identityOf(state), shares, lifetime, chapter };
}

/** What counts of a webhook event. */
interface WebhookEventState {
  readonly id: string;
  readonly projectId: ProjectId | null;
  readonly status: WebhookEventStatus;
  readonly version: number;
}

export function seenWebhookEvent(telling: Telling, state: WebhookEventState): Sighting {
  return { ...telling, kind: 'webhook-event', ...identityOf(state), ...counting(sharesOfWebhookEvent(state.status)) };
}

export function seenReferralCode(
  telling: Telling,
  { code, projectId, version }: { code: string; projectId: ProjectId; version: number },
): Sighting {
  return { ...telling, kind: 'referral-code', id: code, projectId, version, ...counting(sharesOfCode()) };
}

export function seenReferral(telling: Telling, state: ReferralState): Sighting {
  const { id, projectId, status } = state;
  // Its two states, in the only order they can come.
  const version = status === 'converted' ? 2 : 1;
  return { ...telling, kind: 'referral', id, projectId, version, ...counting(sharesOfReferral(state)) };
}

const counting = (shares: Share[]) => ({ shares, lifetime: null, chapter: null });

const identityOf = ({ id, projectId, version }: Pick<Sighting, 'id' | 'projectId' | 'version'>) => ({
  id,
  projectId,
  version,
});
