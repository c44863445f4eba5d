import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProcessorAccountChanged, WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { insertAuditEntries } from '#persistence/insert-audit-entries.ts';
import type { MailFailingEndpoint } from '#auth/account-mails.ts';
import type { Users } from '#auth/sign-in.ts';
import { Member, Team } from '#persistence/entities.ts';

/** Records whether the processor accounts of teams are live; an older change than the recorded one is dropped. */
export const accountModes = (): Consumer =>
  consumer('gateway-accounts', 'processor-account.changed.v1').on(ProcessorAccountChanged, async (tx, deliveries) => {
    for (const { teamId, data } of deliveries) {
      const { version, livemode } = data;
      await tx.nativeUpdate(
        Team,
        { id: teamId, accountVersion: { $lt: version } },
        { accountLivemode: livemode, accountVersion: version },
      );
    }
  });

/** Adds the writes of all services to the audit log, each once, in any order. */
export function auditLog(): Consumer {
  return consumer('gateway-audit-log', 'audit.recorded.v1').on(AuditRecorded, (tx, deliveries) =>
    insertAuditEntries(
      tx,
      deliveries.map(({ teamId, data }) => ({ teamId, entry: data })),
    ),
  );
}

interface MailParts {
  readonly users: Pick<Users, 'findAll'>;
  /** Undefined without a mail server. */
  readonly mail: MailFailingEndpoint | undefined;
}

/** Mails the owners of a team that an endpoint of theirs fails. */
export const failingEndpoints = ({ users, mail }: MailParts): Consumer =>
  consumer('gateway-webhook-endpoints', WebhookEndpointFailed.name).on(
    WebhookEndpointFailed,
    async (tx, deliveries) => {
      for (const { teamId, data } of mail ? deliveries : []) {
        const owners = await tx.find(Member, { teamId, role: 'owner' });
        for (const { email } of await users.findAll(owners.map(({ userId }) => userId))) mail?.(email, data);
      }
    },
  );
