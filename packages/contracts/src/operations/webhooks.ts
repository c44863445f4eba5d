import { z } from 'zod';
import { optional } from '../optional.ts';
import { declareOperations, success } from '../declare-operations.ts';
import { exampleOf } from '../example.ts';
import { TeamId } from '../ids.ts';
import type { ProblemCode } from '../problem-codes.ts';
import { PROJECT_PATH, projectAccess, TEAM_PATH } from '../operation.ts';
import { longListQuery, pagination } from '../pagination.ts';
import { processorHealth } from '../resources/processor-health.ts';
import { lastAccount, processorAccount, processorConnect, webhookUrl } from '../resources/processor-account.ts';
import { WEBHOOK_EVENT_STATUSES, webhookEvent } from '../resources/webhook-event.ts';
import { booleanText, optionalText, text } from '../text.ts';

const received = z.object({ received: z.literal(true), duplicate: z.literal(true).optional() });
const eventFilters = {
  status: z.enum(WEBHOOK_EVENT_STATUSES).optional().describe('Only events with this status.'),
  type: text(120).optional().describe('Only events of this type, for example `invoice.paid`.'),
  objectId: text(255).optional().describe('Only events about the object with this id at the payment processor.'),
};
const replayProblems = [
  'webhook_event_not_found',
  'webhook_event_not_failed',
  'webhook_event_payload_deleted',
] as const satisfies readonly ProblemCode[];
/** Accepts any text: an unknown team gets the same response as an invalid signature. */
const params = z.object({ teamId: z.string().max(128).meta({ description: 'The team.', example: TeamId.example }) });

/** A shortened webhook event. Stripe: https://docs.stripe.com/api/events/object */
const exampleProcessorEvent = {
  id: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX',
  object: 'event',
  type: 'customer.subscription.created',
  created: 1_772_443_800,
  livemode: false,
  api_version: '2026-10-28.endive',
  data: { object: { id: 'sub_1RqZ9c2eZvKYlo2CrX0hJ6kL', object: 'subscription', status: 'active' } },
};

/** An event of another product's customer in the same account. */
const exampleForeignEvent = {
  id: 'evt_1ForeignEvent2eZvKYlo2',
  projectId: null,
  type: 'invoice.paid',
  objectId: 'in_1ForeignInvoice2eZvKYlo2',
  status: 'ignored',
  routedBy: null,
  attempts: 3,
  error: 'foreign',
};

export const webhooksOperations = declareOperations('webhooks', {
  getWebhookUrl: {
    route: `GET ${TEAM_PATH}/processor/webhook-url`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get the webhook URL for the payment processor, and how to set it up',
    response: z.object({
      webhookUrl,
      instructions: z.string().meta({
        description: 'How to set it up.',
        example: 'In the Stripe Dashboard open Developers > Webhooks and add an endpoint: …',
      }),
    }),
  },
  getProcessor: {
    route: `GET ${TEAM_PATH}/processor`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get the team’s connection to the payment processor, without its secrets',
    response: z.object({
      processor: processorAccount
        .nullable()
        .meta({ description: 'Null while the team is not connected.', example: exampleOf(processorAccount) }),
      isLocal: z
        .boolean()
        .describe('Whether this installation uses a local stand-in for Stripe, which accepts any test key.'),
      lastAccount: lastAccount.nullable().describe('Null while the team is connected, before that, and after a purge.'),
      isPurging: z
        .boolean()
        .describe('Whether the records of the last account are being deleted; no account can be connected meanwhile.'),
    }),
  },
  connectProcessor: {
    route: `POST ${TEAM_PATH}/processor/connect`,
    access: { kind: 'team', role: 'owner', fresh: 'always' },
    summary: 'Connect the payment processor, or update its credentials',
    body: processorConnect,
    response: z.object({ processor: processorAccount }),
    refusals: { target: 'processor_account', param: 'teamId' },
    problems: [
      'processor_credentials_invalid',
      'processor_mismatch',
      'processor_purge_running',
      'webhook_endpoint_not_permitted',
      'processor_error',
    ],
  },
  getProcessorHealth: {
    route: `GET ${TEAM_PATH}/processor/health`,
    access: { kind: 'team', role: 'member' },
    summary: 'Check whether the connection to the payment processor works, and what to do if it does not',
    response: processorHealth,
    problems: ['processor_not_connected'],
  },
  disconnectProcessor: {
    route: `DELETE ${TEAM_PATH}/processor`,
    access: { kind: 'team', role: 'owner', fresh: 'always' },
    summary: 'Disconnect the payment processor, and with `purge` delete everything that mirrors its account',
    query: z.strictObject({
      purge: booleanText
        .default(false)
        .describe('Whether to delete everything that mirrors the account, in all projects of the team.'),
    }),
    body: z
      .strictObject({ confirm: optional(optionalText(1_000)).describe('With `purge`, the exact name of the team.') })
      .nullish(),
    response: success,
    refusals: { target: 'processor_account', param: 'teamId' },
    problems: ['processor_not_connected', 'confirmation_required'],
    example: { query: { purge: 'true' }, body: { confirm: 'Acme' } },
  },
  receiveWebhook: {
    route: 'POST /api/webhooks/processor/:teamId',
    access: { kind: 'signature' },
    summary: 'Receive a webhook event',
    params,
    response: received,
    problems: ['invalid_signature', 'invalid_event'],
    example: { body: exampleProcessorEvent, response: { received: true } },
  },
  receiveWebhookAtOldPath: {
    route: 'POST /api/webhooks/stripe/:teamId',
    access: { kind: 'signature' },
    summary: 'Receive a webhook event at the alternative path',
    params,
    response: received,
    problems: ['invalid_signature', 'invalid_event'],
    example: { body: exampleProcessorEvent, response: { received: true, duplicate: true } },
  },
  listWebhookEvents: {
    route: `GET ${PROJECT_PATH}/webhook-events`,
    access: projectAccess('analytics:read'),
    summary: 'List the webhook events of the project',
    query: z.strictObject({ ...eventFilters, ...longListQuery }),
    response: z.object({ webhookEvents: z.array(webhookEvent), pagination }),
    example: { query: { status: 'processed', type: 'customer.subscription.created' } },
  },
  replayWebhookEvent: {
    route: `POST ${PROJECT_PATH}/webhook-events/:eventId/replay`,
    access: { kind: 'project-session' },
    summary: 'Replay a failed webhook event',
    response: z.object({ webhookEvent }),
    problems: replayProblems,
    example: { response: { webhookEvent: { status: 'received', attempts: 0, processedAt: null } } },
  },
  listTeamWebhookEvents: {
    route: `GET ${TEAM_PATH}/webhook-events`,
    access: { kind: 'team', role: 'member' },
    summary: 'List the webhook events of all projects of the team, and those without a project',
    query: z.strictObject({
      ...eventFilters,
      projectId: z.literal('none').optional().describe('Only those without a project.'),
      ...longListQuery,
    }),
    response: z.object({ webhookEvents: z.array(webhookEvent), pagination }),
    example: {
      query: { status: 'ignored', projectId: 'none' },
      response: { webhookEvents: exampleForeignEvent },
    },
  },
  getTeamWebhookEvent: {
    route: `GET ${TEAM_PATH}/webhook-events/:eventId`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get a webhook event of the team with its payload',
    response: z.object({
      webhookEvent,
      payload: z.record(z.string(), z.unknown()).nullable().meta({
        description: 'The event as the processor sent it; null once it was deleted, and where nothing is done with it.',
        example: exampleProcessorEvent,
      }),
    }),
    problems: ['webhook_event_not_found'],
  },
  replayTeamWebhookEvent: {
    route: `POST ${TEAM_PATH}/webhook-events/:eventId/replay`,
    access: { kind: 'team', role: 'member' },
    summary: 'Replay a webhook event of the team that failed, is foreign, or was of the other mode',
    response: z.object({ webhookEvent }),
    problems: replayProblems,
    example: {
      response: {
        webhookEvent: { ...exampleForeignEvent, status: 'received', error: null, attempts: 0, processedAt: null },
      },
    },
  },
});
