import type { EntityManager } from '@mikro-orm/postgresql';
import type { Complete } from '@billing/messaging/outbox';
import { executeBound } from '@billing/service/bound-statement';
import { readPayload, type Payload } from '#domain/payload.ts';

/**
 * The outbox does not hold once more what `webhook_events` holds: this part of a fact about an event is left out there,
 * and added again when a relay reads the row.
 */
export function withoutPayload<Data extends Payload>(data: Data): Omit<Data, keyof Payload> {
  const { object: _object, previousAttributes: _previousAttributes, ...rest } = data;
  return rest;
}

/** Adds the payloads of their events to facts from which they were left out. */
export function completeFacts(em: EntityManager): Complete {
  return async facts => {
    const rows = await executeBound<{ id: string; payload: unknown }>(
      em.fork(),
      `select o.id, e.payload
         from outbox_events o join webhook_events e on e.team_id = o.team_id and e.id = o.data->>'eventId'
        where o.id = any($1::uuid[]) and o.type like 'processor.%' and o.data->'object' is null`,
      [facts.map(({ id }) => id)],
    );
    const payloads = new Map(rows.map(({ id, payload }) => [id, payload]));
    return facts.map(fact => {
      const payload = payloads.get(fact.id);
      if (!payload) return fact;
      const written = JSON.parse(fact.data) as object; // `withoutPayload` made it
      return { ...fact, data: JSON.stringify({ ...written, ...readPayload(payload) }) };
    });
  };
}
