import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openSlots } from './slots.ts';

const takeAll = (room: ReturnType<ReturnType<typeof openSlots>['open']>, isProven = true) => {
  const taken: (() => void)[] = [];
  for (let giveBack = room.take(isProven); giveBack; giveBack = room.take(isProven)) taken.push(giveBack);
  return taken;
};

it('leaves a slot for each endpoint of a team, however many requests of others hang', () => {
  const slots = openSlots({ ofTeam: 20 });
  const teamId = TeamId.create();
  const rooms = [1, 2, 3, 4].map(() => slots.open(teamId));
  for (const room of rooms) expect(takeAll(room).length).toBeGreaterThan(0);
  expect(takeAll(slots.open(teamId))).toHaveLength(1);
  expect(slots.taken()).toBeLessThanOrEqual(20);
});

it('gives endpoints that are slow, or not known, a small part of the slots', () => {
  const slots = openSlots({ ofAll: 100, ofTeam: 50, ofUnproven: 30 });
  const hanging = Array.from({ length: 5 }, () => takeAll(slots.open(TeamId.create()), false));
  expect(hanging.map(taken => taken.length)).toEqual([15, 8, 4, 2, 1]);
  const room = slots.open(TeamId.create());
  expect(takeAll(room).length).toBeGreaterThan(30);
  expect(slots.open(TeamId.create()).take(false)).toBeUndefined();
});

it('leaves slots for another team, however many a few teams take', () => {
  const slots = openSlots();
  for (const isProven of [false, true])
    for (const teamId of [TeamId.create(), TeamId.create(), TeamId.create()])
      for (let count = 0; count < 200; count += 1) takeAll(slots.open(teamId), isProven);
  expect(slots.open(TeamId.create()).take(false)).toBeDefined();
  expect(slots.open(TeamId.create()).take(true)).toBeDefined();
});

it('calls those that wait when a slot is given back', () => {
  const slots = openSlots({ ofAll: 1 });
  const [giveBack] = takeAll(slots.open(TeamId.create()));
  const room = slots.open(TeamId.create());
  let calls = 0;
  room.onFree(() => (calls += 1));
  giveBack?.();
  expect(calls).toBe(1);
  expect(room.take(true)).toBeDefined();
});
