import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openInFlight } from './in-flight.ts';

test('holds the items whose work has not ended, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), choices => {
      const inFlight = openInFlight<object>();
      const held = new Map<object, () => void>();
      for (const choice of choices) {
        const [item, end] = [...held][choice % (held.size + 1)] ?? [];
        if (item && end) {
          held.delete(item);
          end();
        } else {
          const added = {};
          held.set(added, inFlight.add(added));
        }
        expect(new Set(inFlight.items())).toEqual(new Set(held.keys()));
        expect(inFlight.items()).toHaveLength(held.size);
      }
    }),
  );
});

test('waits until fewer items are in flight', async () => {
  const inFlight = openInFlight<object>();
  const ends = [{}, {}, {}].map(item => inFlight.add(item));
  const reached: number[] = [];
  const waiting = inFlight.fewerThan(2).then(() => reached.push(inFlight.items().length));
  for (const end of ends.slice(0, 2)) {
    await Promise.resolve();
    expect(reached).toEqual([]);
    end();
  }
  await waiting;
  expect(reached).toEqual([1]);
  await inFlight.fewerThan(2);
});
