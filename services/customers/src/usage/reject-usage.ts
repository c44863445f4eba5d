import { LockMode, type FilterQuery } from '@mikro-orm/postgresql';
import { UsageRejected, type UsageState } from '@billing/contracts/events/usage';
import type { ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import type { Usage } from '@billing/contracts/resources/usage';
import type { Outbox } from '@billing/messaging/outbox';
import { saveRecord, type RecordKind } from '@billing/service/save-record';
import { toState, UsageEvent } from './usage-event.entity.ts';

/** What events about usage are made of: there is one of each. */
interface UsageRow extends ProjectScope {
  readonly event: UsageEvent;
  sequence: number;
}

const USAGE: RecordKind<UsageRow, UsageState> = {
  object: 'usage',
  toState: ({ event }) => toState(event),
  eventOf: () => UsageRejected,
};

interface Rejection {
  readonly reason: NonNullable<Usage['reason']>;
  readonly cause: EventCause;
}

/** Rejects usage that is pending or sent; what was rejected before stays as it is. */
export function rejectUsage({ outbox, now }: { readonly outbox: Outbox; readonly now: () => Date }) {
  return (where: FilterQuery<UsageEvent>, { reason, cause }: Rejection): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const event = await tx.findOne(UsageEvent, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!event || event.status === 'rejected') return;
      const { teamId, projectId } = event;
      const row: UsageRow = { teamId, projectId, event, sequence: 0 };
      const before = USAGE.toState(row);
      Object.assign(event, { status: 'rejected', reason });
      const at = now();
      saveRecord(publish, USAGE, row, { before, now: at, at, cause });
    });
}
