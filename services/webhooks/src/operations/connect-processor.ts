import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { processorAccount, processorConnect } from '@billing/contracts/resources/processor-account';
import type { Outbox } from '@billing/messaging/outbox';
import { seal } from '@billing/processor/credentials';
import { ProcessorError } from '@billing/processor/errors';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { z } from 'zod';
import { isLive } from '#domain/credential-modes.ts';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';
import { makeTeamDue } from '#persistence/reconciliations.ts';
import { webhookUrlOf } from './describe-webhook-url.ts';
import { rotateSigningSecret } from './rotate-signing-secret.ts';

type Credentials = z.output<typeof processorConnect>;
type ConnectedProcessor = z.output<typeof processorAccount>;

export interface ConnectProcessorParts {
  readonly outbox: Outbox;
  /** 32 bytes: seals the secrets. */
  readonly credentialsKey: Buffer;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
  /** Where Stripe reaches the gateway. */
  readonly publicUrl: string;
}

/**
 * Connects a team to its Stripe account, or replaces its credentials, once Stripe has accepted the key.
 * @throws Problem 400 `processor_credentials_invalid`; 502 or 503 when Stripe gives no clear response
 */
export function connectProcessor({ outbox, credentialsKey, processorBaseUrl, publicUrl }: ConnectProcessorParts) {
  return async (teamId: TeamId, credentials: Credentials): Promise<ConnectedProcessor> => {
    const accountId = await findAccount(credentials, processorBaseUrl);
    const account = await outbox.transaction(async (tx, publish) => {
      await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`connect/${teamId}`]);
      const saved = await saveAccount(tx, credentialsKey, teamId, { ...credentials, accountId });
      await rotateSigningSecret(tx, credentialsKey, teamId, credentials.webhookSecret);
      await makeTeamDue(tx, teamId, accountId);
      const { version, livemode } = saved;
      publish(ProcessorAccountChanged, teamId, { version, accountId, livemode });
      return saved;
    });
    const { livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt } = account;
    const shown = { accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt };
    return { connected: true, ...shown, webhookUrl: webhookUrlOf(publicUrl, teamId), apiVersion: API_VERSION };
  };
}

/** One read with the key shows whether Stripe accepts it, and whose it is. */
async function findAccount({ secretKey, publishableKey }: Credentials, baseUrl: string | undefined): Promise<string> {
  if (isLive(secretKey) !== isLive(publishableKey))
    throw invalidCredentials('The secret key and the publishable key must both be for test mode or both be live.');
  try {
    return (await stripeProcessor(secretKey, baseUrl).findAccount()).accountId;
  } catch (err) {
    if (!(err instanceof ProcessorError) || err.isIndeterminate) throw err;
    throw invalidCredentials('The payment processor refused the secret key.', err);
  }
}

async function saveAccount(
  tx: EntityManager,
  credentialsKey: Buffer,
  teamId: TeamId,
  { secretKey, publishableKey, accountId }: Credentials & { accountId: string },
): Promise<ProcessorAccount> {
  const known = await tx.findOne(ProcessorAccount, { teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const now = new Date();
  const changes = {
    accountId,
    livemode: isLive(secretKey),
    publishableKey,
    sealedSecretKey: seal(credentialsKey, { teamId, kind: 'secret-key' }, secretKey),
    secretKeyLast4: secretKey.slice(-4),
    version: (known?.version ?? 0) + 1,
    updatedAt: now,
  };
  return known ? tx.assign(known, changes) : tx.create(ProcessorAccount, { teamId, connectedAt: now, ...changes });
}

function invalidCredentials(message: string, cause?: unknown): Problem {
  return new Problem('validation', 'processor_credentials_invalid', message, { cause });
}
