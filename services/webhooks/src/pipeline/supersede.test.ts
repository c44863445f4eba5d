import { ProjectId, TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { openLeaseQueue } from '@billing/database/lease-queue';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readContent } from '#domain/event-content.ts';
import type { LeasedEvent } from './lease.ts';
import { SUPERSEDING } from './supersede.ts';

const teamId = TeamId.create();
const projects = [ProjectId.create(), ProjectId.create()];
const types: ProcessorEventType[] = [
  'customer.subscription.updated',
  'customer.subscription.created',
  'invoice.updated',
];

const anyEvents = fc
  .array(
    fc.record({
      type: fc.constantFrom(...types),
      object: fc.record({
        id: fc.constantFrom('obj_1', 'obj_2'),
        status: fc.constantFrom('active', 'open', 'canceled', 'paid'),
        metadata: fc.record({ projectId: fc.constantFrom(...projects) }),
      }),
      second: fc.nat(9),
    }),
    { maxLength: 60 },
  )
  .map(specs => specs.map(({ type, object, second }, index) => newEvent(`evt_${index}`, type, object, second)));

function newEvent(id: string, type: ProcessorEventType, object: object, second: number): LeasedEvent {
  return {
    teamId,
    id,
    leaseId: `lease_${id}`,
    apiVersion: null,
    livemode: false,
    createdAt: new Date(second * 1_000),
    trace: {},
    ...readContent(type, { ...object }, null),
    attempt: 0,
    replays: 0,
    payloadSize: 100,
    routed: null,
    superseded: [],
  };
}

/** What is left of events that wait together. */
function takeAll(events: readonly LeasedEvent[]): LeasedEvent[] {
  const queue = openLeaseQueue<LeasedEvent>({ maxAgeMs: 60_000, sizeOf: () => 1, merging: SUPERSEDING });
  for (const event of events) queue.add([event], performance.now());
  return queue.take(Number.MAX_SAFE_INTEGER);
}

it('keeps or supersedes each event once', () => {
  fc.assert(
    fc.property(anyEvents, events => {
      const all = takeAll(events).flatMap(({ id, leaseId, superseded }) => [{ teamId, id, leaseId }, ...superseded]);
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      const expected = events.map(({ id, leaseId }) => ({ teamId, id, leaseId }));
      expect(all.toSorted(byId)).toEqual(expected.toSorted(byId));
    }),
  );
});

it('supersedes only what a newer update of the same object and project shows as well', () => {
  fc.assert(
    fc.property(anyEvents, events => {
      const byId = new Map(events.map(event => [event.id, event]));
      for (const newest of takeAll(events)) {
        for (const { id } of newest.superseded) {
          expect(byId.get(id)).toMatchObject({
            type: newest.type,
            objectId: newest.objectId,
            hints: newest.hints,
            isFinal: false,
          });
          expect(byId.get(id)?.createdAt.getTime()).toBeLessThan(newest.createdAt.getTime());
          expect(newest.type).toMatch(/\.updated$/);
        }
      }
    }),
  );
});

it('leaves one of a subscription’s updates in order, and no more than twenty with it', () => {
  const updates = Array.from({ length: 30 }, (_, second) =>
    newEvent(`evt_${second}`, 'customer.subscription.updated', { id: 'sub_1', status: 'active' }, second),
  );
  const left = takeAll(updates);
  expect(left.map(({ id, superseded }) => [id, superseded.length])).toEqual([
    ['evt_20', 20],
    ['evt_29', 8],
  ]);
});
