import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { processorConnect } from '@billing/contracts/resources/processor-account';
import { isRefused, missingPermission } from '@billing/processor/errors';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Processor } from '@billing/processor/port';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { changesOf, recordAudit } from '@billing/service/audit';
import type { z } from 'zod';
import { makeTeamDue } from '#receipt/reconciliations';
import { ProcessorAccount } from './processor-account.entity.ts';
import type { SealedSecrets } from './sealed-secrets.ts';
import { saveSigningSecrets } from './signing-secrets.ts';
import { lockTeam } from './team-lock.ts';
import { describeConnection, webhookUrlOf, type ConnectionParts } from './connection.ts';
import { checkSameAccount, leaveOtherAccount, type AccountIdentity } from './other-account.ts';
import { createEndpoint, deleteEndpoint, deleteOtherEndpoints, withEndpointLease } from './webhook-endpoint.ts';

type Credentials = z.output<typeof processorConnect>;

/** How Stripe signs what it sends to us; with `id` when this service made the endpoint. */
interface Endpoint {
  readonly id: string | null;
  readonly secret: string;
}

const SECRETS = ['secretKey', 'webhookSecret', 'additionalWebhookSecrets'];

/**
 * Connects a team to its Stripe account, or replaces its credentials, once Stripe has accepted the key. Without a `webhookSecret`
 * it makes the webhook endpoint itself, and deletes those that it made before: first it is made, then its secret is saved, then the
 * old ones go, so that at each moment Stripe has one whose secret is known.
 * @throws Problem 400 `processor_credentials_invalid`; 409 `processor_mismatch`, `processor_purge_running`; 422
 * `webhook_endpoint_not_permitted`; 502 or 503 when Stripe gives no clear response
 */
export function connectProcessor(parts: ConnectionParts & { readonly rpc: RpcClient }) {
  const { outbox, rpc, sealed, processorBaseUrl, publicUrl, logger } = parts;
  return async (teamId: TeamId, credentials: Credentials, context: AuditContext) => {
    const { secretKey, webhookSecret } = credentials;
    const processor = stripeProcessor(secretKey, processorBaseUrl);
    const identity = { accountId: await findAccount(processor, credentials), livemode: isLive(secretKey) };

    const save = (endpoint: Endpoint) =>
      outbox.transaction(async (tx, publish) => {
        await lockTeam(tx, teamId);
        await leaveOtherAccount({ em: tx, rpc }, teamId, identity, publish);
        const saved = await saveAccount(tx, sealed, teamId, { ...credentials, ...identity }, endpoint);
        const { additionalWebhookSecrets: additional } = credentials;
        const { accountId } = identity;
        await saveSigningSecrets(tx, sealed, teamId, { accountId, current: endpoint.secret, additional });
        await makeTeamDue(tx, teamId, identity.accountId);
        publish(ProcessorAccountChanged, teamId, { version: saved.account.version, ...identity });
        const changes = changesOf(saved.previous, changedFields(credentials, identity), SECRETS);
        recordAudit(publish, teamId, context, { target: { type: 'processor_account', id: teamId }, changes });
        return saved;
      });
    const saveWithOwnEndpoint = () =>
      withEndpointLease(outbox.em, teamId, async () => {
        const endpoint = await createEndpoint(processor, teamId, webhookUrlOf(publicUrl, teamId));
        try {
          const saved = await save(endpoint);
          await deleteOtherEndpoints(processor, { id: endpoint.id, teamId, logger });
          return saved;
        } catch (err) {
          // After any other error the account may have been saved all the same.
          if (err instanceof Problem) await deleteEndpoint(processor, { id: endpoint.id, teamId, logger });
          throw err;
        }
      });
    await checkSameAccount({ em: outbox.em.fork(), rpc }, teamId, identity);
    const { account, previous } = await (webhookSecret === undefined
      ? saveWithOwnEndpoint()
      : save({ id: null, secret: webhookSecret }));
    const replaced = previous?.webhookEndpointId;
    if (replaced && previous.sealedSecretKey && replaced !== account.webhookEndpointId) {
      const isSame = previous.accountId === identity.accountId && previous.livemode === identity.livemode;
      const own = { teamId, kind: 'secret-key' } as const;
      // By its own key if it was another account's; without that its endpoint stays there.
      const key = isSame ? secretKey : sealed.openIfPossible(own, previous.sealedSecretKey);
      if (key !== undefined)
        await deleteEndpoint(stripeProcessor(key, processorBaseUrl), { id: replaced, teamId, logger });
    }
    return describeConnection(account, publicUrl);
  };
}

/** One read with the key shows whether Stripe accepts it, and whose it is. */
async function findAccount(processor: Processor, { secretKey, publishableKey }: Credentials): Promise<string> {
  if (publishableKey !== undefined && isLive(secretKey) !== isLive(publishableKey))
    throw invalidCredentials('The secret key and the publishable key must both be for test mode or both be live.');
  try {
    return (await processor.findAccount()).accountId;
  } catch (err) {
    if (!isRefused(err)) throw err;
    const permission = missingPermission(err);
    const reason =
      permission === null
        ? 'The payment processor refused the secret key.'
        : `The restricted key lacks ${permission}, without which nobody can tell whose account it is.`;
    throw invalidCredentials(reason, err);
  }
}

/** What the audit log compares; a connection always gets its secrets anew. */
const changedFields = (
  { secretKey, publishableKey, webhookSecret = 'made by us', additionalWebhookSecrets: additional }: Credentials,
  { accountId, livemode }: AccountIdentity,
) => ({
  accountId,
  livemode,
  publishableKey: publishableKey ?? null,
  secretKey,
  webhookSecret,
  additionalWebhookSecrets: additional.length > 0 ? additional : null,
});

async function saveAccount(
  tx: EntityManager,
  sealed: SealedSecrets,
  teamId: TeamId,
  { secretKey, publishableKey, accountId, livemode }: Credentials & AccountIdentity,
  endpoint: Endpoint,
) {
  const known = await tx.findOne(ProcessorAccount, { teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  // The entity itself is changed below.
  const previous = known && {
    accountId: known.accountId,
    livemode: known.livemode,
    publishableKey: known.publishableKey,
    sealedSecretKey: known.sealedSecretKey,
    webhookEndpointId: known.webhookEndpointId,
  };
  const now = new Date();
  const changes = {
    accountId,
    livemode,
    publishableKey: publishableKey ?? null,
    sealedSecretKey: sealed.seal({ teamId, kind: 'secret-key' }, secretKey),
    secretKeyLast4: secretKey.slice(-4),
    webhookEndpointId: endpoint.id,
    version: (known?.version ?? 0) + 1,
    connectedAt: known && !known.disconnectedAt ? known.connectedAt : now,
    updatedAt: now,
    disconnectedAt: null,
    purgedAt: null,
  };
  const account = known ? tx.assign(known, changes) : tx.create(ProcessorAccount, { teamId, ...changes });
  return { account, previous };
}

function invalidCredentials(message: string, cause?: unknown): Problem {
  return new Problem('validation', 'processor_credentials_invalid', message, { cause });
}

/** Whether a processor key is one for real money. */
const isLive = (key: string): boolean => /^(sk|rk|pk)_live_/.test(key);
