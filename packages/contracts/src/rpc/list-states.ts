import { z } from 'zod';
import { customerState } from '../events/customers.ts';
import { ProjectCreated } from '../events/gateway.ts';
import { ReferralCodeCreated, referralState } from '../events/referrals.ts';
import { subscriptionState } from '../events/subscriptions.ts';
import { webhookEventState } from '../events/webhooks.ts';
import { ProjectId, TeamId } from '../ids.ts';
import { defineRpc } from '../rpc.ts';
import { timestamp } from '../timestamp.ts';

/** A part of a list whose order never changes: what follows `after`, from the beginning when that is null. */
const part = { after: z.string().nullable(), limit: z.int().min(1).max(1_000) };
const partOfProject = z.object({ teamId: TeamId.schema, projectId: ProjectId.schema, ...part });

/** Records as facts tell them, each with when it last changed; `next` is the `after` of the next part, null at the end. */
const recordsOf = <State extends z.ZodType>(state: State) =>
  z.object({ records: z.array(z.object({ recordedAt: timestamp, state })), next: z.string().nullable() });

/** Every project of every team, or the one named. */
export const ListProjectStates = defineRpc(
  'gateway',
  'list-project-states',
  z.object({ projectId: ProjectId.schema.nullable(), ...part }),
  recordsOf(ProjectCreated.data),
);

/** Every customer of a project, the deleted ones too. */
export const ListCustomerStates = defineRpc(
  'customers',
  'list-customer-states',
  partOfProject,
  recordsOf(customerState),
);

/** Every subscription of a project, those that have ended too. */
export const ListSubscriptionStates = defineRpc(
  'subscriptions',
  'list-subscription-states',
  partOfProject,
  recordsOf(subscriptionState),
);

/** Every webhook event of a project, as far as it is counted. */
export const ListWebhookEventStates = defineRpc(
  'webhooks',
  'list-webhook-event-states',
  partOfProject,
  recordsOf(webhookEventState.pick({ id: true, projectId: true, status: true, version: true })),
);

/** Every referral code of a project, the deactivated ones too. */
export const ListReferralCodeStates = defineRpc(
  'referrals',
  'list-referral-code-states',
  partOfProject,
  recordsOf(ReferralCodeCreated.data),
);

/** Every referral of a project. */
export const ListReferralStates = defineRpc(
  'referrals',
  'list-referral-states',
  partOfProject,
  recordsOf(referralState),
);
