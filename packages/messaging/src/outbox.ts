import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { COMMITTED_LEASE_SECONDS, type CommittedEvents, type LeasedMessage } from './committed-events.ts';
import { newEventId } from './event-id.ts';
import { checkSize, groupByMessage, toMessage, type Message } from './message.ts';
import type { NewEvent, Publish } from './new-event.ts';
import { timedTransaction, type TimeLimits } from './timed-transaction.ts';

export type { Publish } from './new-event.ts';

/** Work in a transaction that can publish events. */
export type PublishingWork<Result> = (tx: EntityManager, publish: Publish) => Promise<Result>;

/** Transactions whose events reach the bus if, and only if, they commit. */
export interface Outbox {
  /** Of the service's database. */
  readonly em: EntityManager;
  /**
   * Runs `work` in a transaction. The events that it publishes are stored by the same commit and go to the bus after it,
   * at least once, under ids that stay the same. To publish one that is too large for the bus throws PermanentFailure.
   * @throws TimeoutError when `limits` are given and reached; nothing of the work takes effect then
   */
  transaction<Result>(work: PublishingWork<Result>, limits?: TimeLimits): Promise<Result>;
}

interface OutboxOptions {
  /** Gives the relay of this process committed events from memory. */
  readonly committed?: CommittedEvents;
  /** Names of the events that the service has declared to publish; every event unless given. */
  readonly declared?: ReadonlySet<string>;
}

/** Opens the outbox of a service's database. */
export function openOutbox(em: EntityManager, { committed, declared }: OutboxOptions = {}): Outbox {
  return {
    em,
    async transaction(work, limits) {
      let afterCommit: () => void = () => undefined;
      const result = await timedTransaction(em, limits, async tx => {
        const events: NewEvent[] = [];
        const worked = await work(tx, (type, teamId, data, trace = currentTrace()) => {
          if (declared && !declared.has(type.name))
            throw new Error(`The service does not publish ${type.name}; see contracts/src/events/all-events.ts.`);
          const fields = { id: newEventId(), type: type.name, teamId, trace, occurredMs: Date.now() };
          const encoded = type.data.encode(data);
          const json = JSON.stringify(encoded);
          checkSize(type.name, encoded, json);
          events.push({ ...fields, data: json });
        });
        if (events.length === 0) return worked;
        const insertedAt = performance.now();
        const leaseId = committed?.hasRoom() ? randomUUID() : null;
        // Each event is in one message only, so that the id of the first one names its message.
        const messages = groupByMessage(events).map(group => toMessage(group, group[0].id));
        const inserted = await insertMessages(tx, messages, leaseId);
        afterCommit = () => (leaseId ? committed?.add(inserted, insertedAt) : committed?.missed());
        return worked;
      });
      afterCommit();
      return result;
    },
  };
}

/** With a lease id the messages are leased for the relay of this process, else any relay may publish them. */
async function insertMessages(
  tx: EntityManager,
  messages: readonly Message[],
  leaseId: string | null,
): Promise<LeasedMessage[]> {
  const rows = messages.map(({ id, type, teamId, events, trace }) => ({ id, type, team_id: teamId, events, trace }));
  const inserted = await executeBound<{ id: string; sequence: string }>(
    tx,
    `insert into outbox_messages (id, type, team_id, body, events, trace, created_at, due_at, lease_id)
     select id, type, team_id, unnest, events, trace, clock_timestamp(),
            clock_timestamp() + make_interval(secs => $3), $4::uuid
       from rows from (
              json_to_recordset($1::json) as (id uuid, type text, team_id text, events int, trace jsonb),
              unnest($2::text[])) as m
     returning id, sequence`,
    [JSON.stringify(rows), textArray(messages.map(({ body }) => body)), leaseId ? COMMITTED_LEASE_SECONDS : 0, leaseId],
  );
  const sequences = new Map(inserted.map(({ id, sequence }) => [id, sequence]));
  return messages.map(message => ({ ...message, sequence: sequences.get(message.id) ?? '', leaseId: leaseId ?? '' }));
}
