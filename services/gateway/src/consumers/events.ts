import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { insertAuditEntries } from '#persistence/insert-audit-entries.ts';
import { Team } from '#persistence/entities.ts';

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
