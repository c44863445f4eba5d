import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { processorAccount, processorConnect } from '@billing/contracts/resources/processor-account';
import { record } from '@billing/messaging/outbox';
import { seal } from '@billing/processor/credentials';
import { ProcessorError } from '@billing/processor/errors';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { z } from 'zod';
import { rotateSigningSecret } from '#accounts/rotate-signing-secret.ts';
import { webhookUrlOf } from '#accounts/webhook-url.ts';
import { isLive } from '#domain/credential-modes.ts';
import { makeTeamDue } from '#healing/claim-team.ts';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';

type Credentials = z.output<typeof processorConnect>;
type ConnectedProcessor = z.output<typeof processorAccount>;

interface ConnectProcessorParts {
  readonly em: EntityManager;
  /** 32 bytes: seals the secrets. */
  readonly credentialsKey: Buffer;
  readonly processorBaseUrl: string | undefined;
  readonly publicUrl: string;
}

/**
 * Connects a team to its account at the processor, or replaces its credentials, once the processor has accepted the key.
 * @throws Problem 400 `processor_credentials_invalid`; 502 or 503 when the processor gives no clear answer
 */
export function connectProcessor({ em, credentialsKey, processorBaseUrl, publicUrl }: ConnectProcessorParts) {
  return async (teamId: TeamId, credentials: Credentials): Promise<ConnectedProcessor> => {
    const accountId = await findAccount(credentials, processorBaseUrl);
    const account = await em.fork().transactional(async tx => {
      await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`connect/${teamId}`]);
      const kept = await keepAccount(tx, credentialsKey, teamId, { ...credentials, accountId });
      await rotateSigningSecret(tx, credentialsKey, teamId, credentials.webhookSecret);
      await makeTeamDue(tx, teamId);
      const { version, livemode } = kept;
      record(tx, ProcessorAccountChanged, teamId, { version, accountId, livemode });
      return kept;
    });
    const { livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt } = account;
    const shown = { accountId, livemode, publishableKey, secretKeyLast4, connectedAt, updatedAt };
    return { connected: true, ...shown, webhookUrl: webhookUrlOf(publicUrl, teamId), apiVersion: API_VERSION };
  };
}

/** One read with the key tells whether the processor accepts it, and whose it is. */
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

async function keepAccount(
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
