import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openBatcher } from './batcher.ts';
import { toDelivery } from './bus.ts';
import { weigh } from './consumer/batch.ts';
import { divide, groupByMessage } from './message.ts';
import type { NewEvent } from './new-event.ts';

type Shape = Partial<Pick<NewEvent, 'type' | 'teamId' | 'trace'>> & { readonly size?: number };

const event = ({ type = 'a.v1', teamId = 'team', size = 10, trace = {} }: Shape = {}): NewEvent => ({
  id: randomUUID(),
  type,
  teamId,
  data: 'x'.repeat(size),
  trace,
  occurredMs: 0,
});
const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

const anyEvent = fc.record({
  type: fc.constantFrom('a.v1', 'b.v1'),
  teamId: fc.constantFrom('team', 'other'),
  size: fc.constantFrom(1, 5_000, 50_000, 200_000),
  trace: fc.constantFrom({}, traced),
});

it('puts each event into one message, with others of its team and type, in their order, as far as they fit', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 200 }), shapes => {
      const events = shapes.map(event);
      const groups = groupByMessage(events);
      expect(groups.flat().toSorted((a, b) => events.indexOf(a) - events.indexOf(b))).toEqual(events);
      for (const group of groups) {
        expect(new Set(group.map(({ teamId, type }) => `${teamId} ${type}`)).size).toBe(1);
        const places = group.map(one => events.indexOf(one));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        if (group.length === 1) continue;
        expect(group.length).toBeLessThanOrEqual(32);
        expect(group.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThanOrEqual(131_072);
        expect(group.map(({ trace }) => trace)).not.toContainEqual(traced);
      }
    }),
  );
});

it('fills messages', () => {
  expect(groupByMessage(Array.from({ length: 70 }, () => event())).map(group => group.length)).toEqual([32, 32, 6]);
});

const MIB = 1_048_576;
const sizes = fc.array(fc.constantFrom(0, 200, 100_000, 3 * MIB, 5 * MIB), { maxLength: 100 });
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

it('S76: divides into parts within their bytes, unless one item is larger alone, and loses and moves none', () => {
  fc.assert(
    fc.property(sizes, fc.constantFrom(4 * MIB, 8 * MIB), (items, maxSize) => {
      const parts = divide(items, size => size, maxSize);
      expect(parts.flat()).toEqual(items);
      for (const part of parts) expect(part.length === 1 || sum(part) <= maxSize).toBe(true);
    }),
  );
});

it('S76: handles no more than 4 MiB of events in one batch, each event once, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async items => {
      const deliveries = items.map((bytes, place) => ({ ...toDelivery(envelopeOf(place), 1), bytes }));
      const batches: (typeof deliveries)[] = [];
      const limits = { weigh, maxItems: 256, maxWeight: 512 };
      const handle = openBatcher(
        async (batch: readonly (typeof deliveries)[number][]) => (batches.push([...batch]), batch),
        limits,
      );
      await Promise.all(deliveries.map(handle));
      expect(batches.flat()).toEqual(deliveries);
      for (const batch of batches)
        expect(batch.length === 1 || sum(batch.map(({ bytes }) => bytes)) <= 4 * MIB).toBe(true);
    }),
  );
});

const envelopeOf = (number: number) => ({
  id: randomUUID(),
  type: 'a.v1',
  teamId: 'team',
  occurredAt: new Date(0),
  data: { number },
});
