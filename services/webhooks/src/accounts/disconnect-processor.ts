import { LockMode } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { FindTeamName } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { recordAudit } from '@billing/service/audit';
import { pauseTeam } from '#receipt/reconciliations';
import { ProcessorAccount } from './processor-account.entity.ts';
import { lockTeam } from './team-lock.ts';
import { notConnected, type ConnectionParts } from './connection.ts';
import { startPurge } from './purge-account.ts';
import { deleteEndpoint, withEndpointLease } from './webhook-endpoint.ts';

interface Options {
  /** Whether everything is deleted that mirrors the account. */
  readonly purge: boolean;
  /** The name of the team, to purge. */
  readonly confirm?: string | undefined;
}

/**
 * Disconnects a team from its Stripe account: its secrets are deleted, so that webhooks are refused and nothing is written
 * there; the webhook endpoint that this service made there is deleted. The records stay, and so does which account they
 * mirror. A team that is disconnected already stays so.
 * With `purge`, every service then deletes what mirrors the account; until all have, none can be connected.
 * @throws Problem 409 `processor_not_connected` for a team that never was connected; 422 `confirmation_required`
 */
export function disconnectProcessor(parts: ConnectionParts & { readonly rpc: RpcClient }) {
  const { outbox, rpc, sealed, processorBaseUrl, logger } = parts;

  const removeSecrets = (teamId: TeamId, { purge }: Options, context: AuditContext) =>
    outbox.transaction(async (tx, publish) => {
      await lockTeam(tx, teamId);
      const account = await tx.findOne(ProcessorAccount, { teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!account) throw notConnected();
      const { sealedSecretKey, webhookEndpointId } = account;
      if (purge) await startPurge(tx, teamId, publish);
      const isConnected = account.disconnectedAt === null;
      const changes = [
        ...(isConnected ? [{ field: 'connected', from: true, to: false }] : []),
        ...(purge ? [{ field: 'purge', from: null, to: true }] : []),
      ];
      recordAudit(publish, teamId, context, { target: { type: 'processor_account', id: teamId }, changes });
      if (!isConnected) return null;
      const [now, version] = [new Date(), account.version + 1];
      tx.assign(account, {
        sealedSecretKey: null,
        publishableKey: null,
        webhookEndpointId: null,
        disconnectedAt: now,
        updatedAt: now,
        version,
      });
      await tx.execute(`delete from signing_secrets where team_id = ?`, [teamId]);
      await pauseTeam(tx, teamId);
      const { accountId, livemode } = account;
      publish(ProcessorAccountChanged, teamId, { version, accountId, livemode });
      return sealedSecretKey !== null && webhookEndpointId !== null ? { sealedSecretKey, webhookEndpointId } : null;
    });

  return async (teamId: TeamId, options: Options, context: AuditContext): Promise<void> => {
    const team = options.purge ? await rpc.call(FindTeamName, { teamId }) : null;
    if (options.purge && (options.confirm === undefined || options.confirm !== team?.name))
      throw unprocessable('confirmation_required', 'To delete the records, confirm must be the name of the team.');
    await withEndpointLease(outbox.em, teamId, async () => {
      const own = await removeSecrets(teamId, options, context);
      if (!own) return;
      const secretKey = sealed.openIfPossible({ teamId, kind: 'secret-key' }, own.sealedSecretKey);
      if (secretKey === undefined) return;
      const processor = stripeProcessor(secretKey, processorBaseUrl);
      await deleteEndpoint(processor, { id: own.webhookEndpointId, teamId, logger });
    });
  };
}
