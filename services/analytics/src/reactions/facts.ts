import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectCreated, ProjectUpdated, type ProjectState } from '@billing/contracts/events/gateway';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
} from '@billing/contracts/events/referrals';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { Envelope, EventType } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox, type Heard } from '@billing/messaging/inbox';
import { LONG_REST } from '@billing/messaging/rest';
import type { Logger } from 'pino';
import type { z } from 'zod';
import {
  seenCustomer,
  seenReferral,
  seenReferralCode,
  seenSubscription,
  seenWebhookEvent,
  type Sighting,
  type Telling,
} from '#domain/sighting.ts';
import { followSubjects } from '#operations/follow-subjects.ts';
import { holdProjects, keepProject } from '#persistence/projects.ts';

/** Each consumer's name and the facts it reads; a consumer reads by one filter. */
export const CONSUMERS = {
  'analytics-projects': 'project.*.v1',
  'analytics-customers': 'customer.*.v1',
  'analytics-subscriptions': 'subscription.*.v1',
  'analytics-webhook-events': 'webhook-event.*.v1',
  'analytics-referral-codes': 'referral-code.*.v1',
  'analytics-referrals': 'referral.*.v1',
} as const;

/** Keeps the figures of every project by what the other services say. */
export function reactToFacts(em: EntityManager, logger: Logger): Inbox {
  const inbox = new Inbox(em, 'analytics', logger);
  for (const fact of [ProjectCreated, ProjectUpdated])
    inbox.on(fact, async (tx, state: ProjectState, event: Envelope) => {
      await holdProjects(tx, [{ teamId: state.teamId, projectId: state.id, newestAt: event.occurredAt }]);
      await keepProject(tx, state);
    });
  for (const { fact, see } of SEEN)
    inbox.on(fact, async (tx, _data, event) => {
      await followSubjects(tx, see(event));
    });
  return inbox.together(followTogether, LONG_REST);
}

interface Seen {
  readonly fact: EventType;
  /** All that the fact says. */
  readonly see: (event: Envelope) => Sighting[];
}

/** Facts about subjects, and how each is seen. */
const SEEN: readonly Seen[] = [
  ...seenBy(seenCustomer, CustomerCreated, CustomerUpdated, CustomerDeleted),
  ...seenBy(seenSubscription, SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled),
  {
    fact: WebhookEventChanged,
    see: (event: Envelope) =>
      WebhookEventChanged.data
        .parse(event.data)
        .webhookEvents.map(webhookEvent => seenWebhookEvent(tellingOf(event), webhookEvent)),
  },
  ...seenBy(seenReferralCode, ReferralCodeCreated, ReferralCodeDeactivated),
  ...seenBy(seenReferral, ReferralCreated, ReferralConverted),
];
const SEEN_BY_NAME = new Map(SEEN.map(({ fact, see }) => [fact.name, see]));

function seenBy<Data extends z.ZodType>(
  see: (telling: Telling, state: z.output<Data>) => Sighting,
  ...facts: EventType<Data>[]
) {
  return facts.map((fact): Seen => ({
    fact,
    see: event => [see(tellingOf(event), fact.data.parse(event.data))],
  }));
}

/** Follows all subjects at once; a fact about a project, or one that cannot be read, is left to its own reaction. */
async function followTogether(tx: EntityManager, heard: readonly Heard[]): Promise<readonly Heard[]> {
  const seen = heard.flatMap(it => {
    const see = SEEN_BY_NAME.get(it.event.type);
    const sightings = see && attempt(() => see(it.event));
    return sightings ? [{ it, sightings }] : [];
  });
  await followSubjects(
    tx,
    seen.flatMap(({ sightings }) => sightings),
  );
  return seen.map(({ it }) => it);
}

/** Undefined for what cannot be read. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const tellingOf = ({ teamId, occurredAt }: Envelope): Telling => ({
  teamId: teamId as TeamId, // facts carry the id of the team whose service recorded them
  recordedAt: occurredAt,
});
