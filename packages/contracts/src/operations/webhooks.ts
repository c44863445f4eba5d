import { z } from 'zod';
import { examplePagination } from '../openapi/examples/shared.ts';
import {
  exampleProcessor,
  exampleForeignEvent,
  exampleProcessorEvent,
  exampleWebhookEvent,
} from '../openapi/examples/webhooks.ts';
import type { ProblemCode } from '../openapi/problem-codes.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams, TEAM_PATH, teamParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { processorHealth } from '../resources/processor-health.ts';
import { processorAccount, processorConnect } from '../resources/processor-account.ts';
import { processorEventId, WEBHOOK_EVENT_STATUSES, webhookEvent } from '../resources/webhook-event.ts';
import { booleanText, optionalText, text } from '../text.ts';

const service = 'webhooks';
const received = z.object({ received: z.literal(true), duplicate: z.literal(true).optional() });
/** Accepts any text: an unknown team gets the same response as an invalid signature. */
const eventFilters = {
  status: z.enum(WEBHOOK_EVENT_STATUSES).optional(),
  type: text(120).optional(),
};
const replayProblems = [
  'webhook_event_not_found',
  'webhook_event_not_failed',
  'webhook_event_payload_deleted',
] as const satisfies readonly ProblemCode[];
const receiverParams = z.object({ teamId: z.string().max(128) });

export const webhooksOperations = {
  getWebhookUrl: operation({
    id: 'getWebhookUrl',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/processor/webhook-url`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get the webhook URL for the payment processor, and how to set it up',
    params: teamParams,
    status: 200,
    response: z.object({ webhookUrl: z.string(), instructions: z.string() }),
    problems: [],
    example: {
      response: {
        webhookUrl: exampleProcessor.webhookUrl,
        instructions: 'In the Stripe Dashboard open Developers > Webhooks and add an endpoint: …',
      },
    },
  }),
  getProcessor: operation({
    id: 'getProcessor',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/processor`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get the team’s connection to the payment processor, without its secrets',
    params: teamParams,
    status: 200,
    response: z.object({
      /** Null while the team is not connected. */
      processor: processorAccount.nullable(),
      /** Whether this installation uses a local stand-in for Stripe, which accepts any test key. */
      isLocal: z.boolean(),
    }),
    problems: [],
    example: { response: { processor: exampleProcessor, isLocal: false } },
  }),
  connectProcessor: operation({
    id: 'connectProcessor',
    service,
    method: 'POST',
    path: `${TEAM_PATH}/processor/connect`,
    access: { kind: 'team', role: 'owner', fresh: 'always' },
    summary: 'Connect the payment processor, or update its credentials',
    params: teamParams,
    body: processorConnect,
    status: 200,
    response: z.object({ processor: processorAccount }),
    refusals: { target: 'processor_account', param: 'teamId' },
    problems: [
      'processor_credentials_invalid',
      'processor_mismatch',
      'processor_purge_running',
      'webhook_endpoint_not_permitted',
      'processor_error',
    ],
    example: {
      body: { secretKey: 'sk_test_example', publishableKey: 'pk_test_example', webhookSecret: 'whsec_example' },
      response: { processor: exampleProcessor },
    },
  }),
  getProcessorHealth: operation({
    id: 'getProcessorHealth',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/processor/health`,
    access: { kind: 'team', role: 'member' },
    summary: 'Check whether the connection to the payment processor works, and what to do if it does not',
    params: teamParams,
    status: 200,
    response: processorHealth,
    problems: ['processor_not_connected'],
    example: {
      response: {
        status: 'degraded',
        checks: [
          { name: 'key', status: 'ok', detail: 'The payment processor accepts the key.', fix: null },
          {
            name: 'endpoint',
            status: 'warning',
            detail: 'The webhook endpoint lacks the types invoice.voided.',
            fix: 'Add these types to the endpoint in the Stripe Dashboard.',
          },
        ],
      },
    },
  }),
  disconnectProcessor: operation({
    id: 'disconnectProcessor',
    service,
    method: 'DELETE',
    path: `${TEAM_PATH}/processor`,
    access: { kind: 'team', role: 'owner', fresh: 'always' },
    summary: 'Disconnect the payment processor, and with `purge` delete everything that mirrors its account',
    params: teamParams,
    query: z.strictObject({ purge: booleanText.default(false) }),
    body: z.strictObject({ confirm: optionalText(1_000).optional() }).nullish(),
    status: 200,
    response: z.object({ success: z.boolean() }),
    refusals: { target: 'processor_account', param: 'teamId' },
    problems: ['processor_not_connected', 'confirmation_required'],
    example: { query: { purge: 'true' }, body: { confirm: 'Acme' }, response: { success: true } },
  }),
  receiveWebhook: operation({
    id: 'receiveWebhook',
    service,
    method: 'POST',
    path: '/api/webhooks/processor/:teamId',
    access: { kind: 'signature' },
    summary: 'Receive a webhook event',
    params: receiverParams,
    status: 200,
    response: received,
    problems: ['invalid_signature', 'invalid_event'],
    example: { body: exampleProcessorEvent, response: { received: true } },
  }),
  receiveWebhookAtOldPath: operation({
    id: 'receiveWebhookAtOldPath',
    service,
    method: 'POST',
    path: '/api/webhooks/stripe/:teamId',
    access: { kind: 'signature' },
    summary: 'Receive a webhook event at the alternative path',
    params: receiverParams,
    status: 200,
    response: received,
    problems: ['invalid_signature', 'invalid_event'],
    example: { body: exampleProcessorEvent, response: { received: true, duplicate: true } },
  }),
  listWebhookEvents: operation({
    id: 'listWebhookEvents',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/webhook-events`,
    access: projectAccess('analytics:read'),
    summary: 'List the webhook events of the project',
    params: projectParams,
    query: z.strictObject({ ...eventFilters, ...pageQuery }),
    status: 200,
    response: z.object({ webhookEvents: z.array(webhookEvent), pagination }),
    problems: [],
    example: {
      query: { status: 'processed', type: 'customer.subscription.created' },
      response: { webhookEvents: [exampleWebhookEvent], pagination: examplePagination },
    },
  }),
  replayWebhookEvent: operation({
    id: 'replayWebhookEvent',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/webhook-events/:eventId/replay`,
    access: { kind: 'project-session' },
    summary: 'Replay a failed webhook event',
    params: projectParams.extend({ eventId: processorEventId }),
    status: 200,
    response: z.object({ webhookEvent }),
    problems: replayProblems,
    example: {
      response: { webhookEvent: { ...exampleWebhookEvent, status: 'received', attempts: 0, processedAt: null } },
    },
  }),
  listTeamWebhookEvents: operation({
    id: 'listTeamWebhookEvents',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/webhook-events`,
    access: { kind: 'team', role: 'member' },
    summary: 'List the webhook events of all projects of the team, and those without a project',
    params: teamParams,
    query: z.strictObject({ ...eventFilters, projectId: z.literal('none').optional(), ...pageQuery }),
    status: 200,
    response: z.object({ webhookEvents: z.array(webhookEvent), pagination }),
    problems: [],
    example: {
      query: { status: 'ignored', projectId: 'none' },
      response: { webhookEvents: [exampleForeignEvent], pagination: examplePagination },
    },
  }),
  getTeamWebhookEvent: operation({
    id: 'getTeamWebhookEvent',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/webhook-events/:eventId`,
    access: { kind: 'team', role: 'member' },
    summary: 'Get a webhook event of the team with its payload',
    params: teamParams.extend({ eventId: processorEventId }),
    status: 200,
    response: z.object({
      webhookEvent,
      /** The event as the processor sent it; null once it was deleted. */
      payload: z.record(z.string(), z.unknown()).nullable(),
    }),
    problems: ['webhook_event_not_found'],
    example: { response: { webhookEvent: exampleWebhookEvent, payload: exampleProcessorEvent } },
  }),
  replayTeamWebhookEvent: operation({
    id: 'replayTeamWebhookEvent',
    service,
    method: 'POST',
    path: `${TEAM_PATH}/webhook-events/:eventId/replay`,
    access: { kind: 'team', role: 'member' },
    summary: 'Replay a webhook event of the team that failed, is foreign, or was of the other mode',
    params: teamParams.extend({ eventId: processorEventId }),
    status: 200,
    response: z.object({ webhookEvent }),
    problems: replayProblems,
    example: {
      response: {
        webhookEvent: { ...exampleForeignEvent, status: 'received', error: null, attempts: 0, processedAt: null },
      },
    },
  }),
};
