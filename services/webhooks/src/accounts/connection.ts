import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, type Problem } from '@billing/contracts/problem';
import { ENDPOINT_EVENT_TYPES, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';
import type { processorAccount } from '@billing/contracts/resources/processor-account';
import type { Outbox } from '@billing/messaging/outbox';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { ProcessorAccount } from './processor-account.entity.ts';
import type { SealedSecrets } from './sealed-secrets.ts';
import { hasOpenPurge } from './purge-account.ts';

/** What the operations on a team's connection to its Stripe account work with. */
export interface ConnectionParts {
  readonly outbox: Outbox;
  readonly sealed: SealedSecrets;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
  /** Where Stripe reaches the gateway. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/**
 * Finds the account to which a team is connected.
 * @throws Problem 409 `processor_not_connected`
 */
export async function requireAccount(em: EntityManager, teamId: TeamId): Promise<ProcessorAccount> {
  const account = await em.findOne(ProcessorAccount, { teamId });
  if (!account?.sealedSecretKey) throw notConnected();
  return account;
}

export const notConnected = (): Problem =>
  conflict('processor_not_connected', 'The payment processor is not connected to this team.');

/** Returns the account to which a team is connected or was last, and whether the processor is the local stand-in. */
export function findConnection({ outbox, processorBaseUrl, publicUrl }: ConnectionParts) {
  const isLocal = processorBaseUrl !== undefined && !/(^|\.)stripe\.com$/.test(new URL(processorBaseUrl).hostname);
  return async (teamId: TeamId) => {
    const em = outbox.em.fork();
    const account = await em.findOne(ProcessorAccount, { teamId });
    const isPurging = account !== null && (await hasOpenPurge(em, teamId));
    if (!account?.disconnectedAt)
      return { processor: account && describeConnection(account, publicUrl), isLocal, lastAccount: null, isPurging };
    const { accountId, livemode, secretKeyLast4, disconnectedAt, purgedAt } = account;
    const lastAccount = purgedAt ? null : { accountId, livemode, secretKeyLast4, disconnectedAt };
    return { processor: null, isLocal, lastAccount, isPurging };
  };
}

/** Returns a connection as the API shows it. */
export function describeConnection(account: ProcessorAccount, publicUrl: string): z.output<typeof processorAccount> {
  const { teamId, accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt } = account;
  const shown = { accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt };
  return { connected: true, ...shown, webhookUrl: webhookUrlOf(publicUrl, teamId), apiVersion: API_VERSION };
}

/** Where Stripe posts a team's events; made from the configured address, never from a request. */
export function webhookUrlOf(publicUrl: string, teamId: TeamId): string {
  return `${publicUrl}/api/webhooks/processor/${teamId}`;
}

/** The webhook URL and what to do with it at Stripe. */
export function describeWebhookUrl(publicUrl: string, teamId: TeamId): { webhookUrl: string; instructions: string } {
  const webhookUrl = webhookUrlOf(publicUrl, teamId);
  const instructions = [
    'Connect the processor with the secret key alone, and the endpoint is made for you. To make it yourself, open Developers > Webhooks in the Stripe Dashboard and add an endpoint:',
    `1. Endpoint URL: ${webhookUrl}`,
    `2. API version: ${API_VERSION}`,
    `3. Events to send (${ENDPOINT_EVENT_TYPES.length}): ${ENDPOINT_EVENT_TYPES.join(', ')}`,
    `   Optional, for delayed payments, refunds, disputes, deletions, ends of trials, changes of plans and discounts (${OPTIONAL_EVENT_TYPES.length}): ${OPTIONAL_EVENT_TYPES.join(', ')}`,
    '4. Connect the processor with the signing secret (whsec_…) that Stripe shows for the new endpoint, together with the secret key of the same account.',
  ].join('\n');
  return { webhookUrl, instructions };
}
