import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openFloodGate } from './flood-gate.ts';

const [team, other] = [TeamId.create(), TeamId.create()];

/** A gate with a clock that the test moves, in milliseconds. */
function gateAt(start: number) {
  let time = start;
  const gate = openFloodGate(() => time);
  const receive = (forMs: number, everyMs: number) => {
    for (const end = time + forMs; time < end; time += everyMs) gate.received(team);
  };
  const flood = (forMs: number) => receive(forMs, 1);
  return { gate, flood, receive, wait: (ms: number) => void (time += ms) };
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

it('goes on holding a flood that becomes slower, at a rate that starts no flood', () => {
  const { gate, flood, receive } = gateAt(1_000);
  receive(1_000, 8);
  expect(gate.holds(team)).toBe(false);
  flood(200);
  expect(gate.holds(team)).toBe(true);
  receive(1_000, 8);
  expect(gate.holds(team)).toBe(true);
  receive(300, 20);
  expect(gate.holds(team)).toBe(false);
});
