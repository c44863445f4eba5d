import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openFloodGate } from './flood-gate.ts';

const [team, other] = [TeamId.create(), TeamId.create()];

/** A gate with a clock that the test moves, in milliseconds. */
function gateAt(start: number) {
  let time = start;
  const gate = openFloodGate(() => time);
  const flood = (forMs: number) => {
    for (const end = time + forMs; time < end; time += 1) gate.received(team);
  };
  return { gate, flood, wait: (ms: number) => void (time += ms) };
}

it('holds the events of a flood, and those of no other team', () => {
  const { gate, flood } = gateAt(1_000);
  flood(200);
  gate.received(other);
  expect([gate.holds(team), gate.holds(other), gate.held()]).toEqual([true, false, [team]]);
});

it('processes a flood that does not end after five seconds, for as long as it was held', () => {
  const { gate, flood } = gateAt(1_000);
  flood(200);
  expect(gate.holds(team)).toBe(true);
  flood(5_000);
  expect(gate.holds(team)).toBe(false);
  flood(4_900);
  expect(gate.holds(team)).toBe(false);
  flood(200);
  expect(gate.holds(team)).toBe(true);
});

it('stops holding soon after a flood ends', () => {
  const { gate, flood, wait } = gateAt(1_000);
  flood(200);
  expect(gate.holds(team)).toBe(true);
  wait(200);
  expect([gate.holds(team), gate.held()]).toEqual([false, []]);
});
