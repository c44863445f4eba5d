import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { currentTrace } from '@billing/tracing/trace-carrier';
import type { NewEvent, Publish } from './new-event.ts';
import { timedTransaction, type TimeLimits } from './timed-transaction.ts';
import { COMMITTED_LEASE_SECONDS, type CommittedEvents } from './committed-events.ts';

export type { Publish } from './new-event.ts';

/** Work in a transaction that can publish events. */
export type PublishingWork<Result> = (tx: EntityManager, publish: Publish) => Promise<Result>;

/** Transactions whose events reach the bus if, and only if, they commit. */
export interface Outbox {
  /** Of the service's database. */
  readonly em: EntityManager;
  /**
   * Runs `work` in a transaction. The events that it publishes are stored by the same commit and go to the bus after it,
   * at least once, under ids that stay the same.
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
          const fields = { id: randomUUID(), type: type.name, teamId, trace, occurredMs: Date.now() };
          events.push({ ...fields, data: JSON.stringify(type.data.encode(data)) });
        });
        if (events.length === 0) return worked;
        const insertedAt = performance.now();
        const leaseId = committed?.hasRoom() ? randomUUID() : null;
        await insertEvents(tx, events, leaseId);
        afterCommit = () =>
          leaseId
            ? committed?.add(
                events.map(event => ({ ...event, leaseId })),
                insertedAt,
              )
            : committed?.missed();
        return worked;
      });
      afterCommit();
      return result;
    },
  };
}

/** With a lease id the events are leased for the relay of this process, else any relay may publish them. */
async function insertEvents(tx: EntityManager, events: readonly NewEvent[], leaseId: string | null): Promise<void> {
  const rows = events.map(({ id, type, teamId, data, trace, occurredMs }) => {
    return { id, type, team_id: teamId, data_bytes: Buffer.byteLength(data), trace, occurred_ms: occurredMs };
  });
  await executeBound(
    tx,
    `insert into outbox_events (id, type, team_id, data, data_bytes, trace, occurred_at, due_at, lease_id)
     select id, type, team_id, unnest::json, data_bytes, trace, to_timestamp(occurred_ms / 1000),
            clock_timestamp() + make_interval(secs => $3), $4::uuid
       from rows from (
              json_to_recordset($1::json) as
                (id uuid, type text, team_id text, data_bytes int, trace jsonb, occurred_ms float8),
              unnest($2::text[])) as e`,
    [JSON.stringify(rows), textArray(events.map(({ data }) => data)), leaseId ? COMMITTED_LEASE_SECONDS : 0, leaseId],
  );
}
