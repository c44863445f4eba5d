import { z } from 'zod';
import { customerState } from '../events/customers.ts';
import { ProjectCreated } from '../events/gateway.ts';
import { ReferralCodeCreated, referralState } from '../events/referrals.ts';
import { subscriptionChange } from '../events/subscriptions.ts';
import { webhookEventCounts } from '../events/webhooks.ts';
import { ProjectId, TeamId } from '../ids.ts';
import { defineRpc } from '../rpc.ts';
import { timestamp } from '../timestamp.ts';

/** One page of a list whose order never changes: the rows after `after`, or the first rows when it is null. */
const page = { after: z.string().nullable(), limit: z.int().min(1).max(1_000) };
const projectScope = { teamId: TeamId.schema, projectId: ProjectId.schema };
const projectPage = z.object({ ...projectScope, ...page });

/** States in the shape of their events, each with its last change; `next` is the `after` of the next page, null at the end. */
const statesOf = <State extends z.ZodType>(state: State) =>
  z.object({ records: z.array(z.object({ recordedAt: timestamp, state })), next: z.string().nullable() });

/** Every project of every team, or only `projectId`. */
export const ListProjectStates = defineRpc(
  'gateway',
  'list-project-states',
  z.object({ projectId: ProjectId.schema.nullable(), ...page }),
  statesOf(ProjectCreated.data),
);

/** Every customer of a project, including deleted ones. */
export const ListCustomerStates = defineRpc('customers', 'list-customer-states', projectPage, statesOf(customerState));

/**
 * Every subscription of a project, including ended ones, with all states that were shown of it: a page has as many as fit
 * into a message, and a subscription with more comes again in the next page, with those that follow.
 */
export const ListSubscriptionStates = defineRpc(
  'subscriptions',
  'list-subscription-states',
  projectPage,
  statesOf(subscriptionChange),
);

/** The numbers of a project's webhook events, as `WebhookEventsCounted` publishes them; version 0 before the first event. */
export const CountWebhookEvents = defineRpc(
  'webhooks',
  'count-webhook-events',
  z.object(projectScope),
  webhookEventCounts,
);

/** Every referral code of a project, including deactivated ones. */
export const ListReferralCodeStates = defineRpc(
  'referrals',
  'list-referral-code-states',
  projectPage,
  statesOf(ReferralCodeCreated.data),
);

/** Every referral of a project. */
export const ListReferralStates = defineRpc('referrals', 'list-referral-states', projectPage, statesOf(referralState));
