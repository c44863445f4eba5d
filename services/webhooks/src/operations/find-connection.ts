import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { processorAccount } from '@billing/contracts/resources/processor-account';
import type { Outbox } from '@billing/messaging/outbox';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { z } from 'zod';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';
import { webhookUrlOf } from './describe-webhook-url.ts';

type ConnectedProcessor = z.output<typeof processorAccount>;

interface FindConnectionParts {
  readonly outbox: Pick<Outbox, 'em'>;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
  readonly publicUrl: string;
}

/** Returns the account to which a team is connected, or null, and whether the processor is the local stand-in. */
export function findConnection({ outbox, processorBaseUrl, publicUrl }: FindConnectionParts) {
  const isLocal = isStandIn(processorBaseUrl);
  return async (teamId: TeamId) => {
    const em: EntityManager = outbox.em.fork();
    const account = await em.findOne(ProcessorAccount, { teamId, disconnectedAt: null });
    return { processor: account && describeConnection(account, publicUrl), isLocal };
  };
}

/** Returns a connection as the API shows it. */
export function describeConnection(account: ProcessorAccount, publicUrl: string): ConnectedProcessor {
  const { teamId, accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt } = account;
  const shown = { accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt };
  return { connected: true, ...shown, webhookUrl: webhookUrlOf(publicUrl, teamId), apiVersion: API_VERSION };
}

const isStandIn = (baseUrl: string | undefined): boolean =>
  baseUrl !== undefined && !/(^|\.)stripe\.com$/.test(new URL(baseUrl).hostname);
