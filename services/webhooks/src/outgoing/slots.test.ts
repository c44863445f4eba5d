import { TeamId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
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
  const other = slots.open(TeamId.create());
  expect(takeAll(other, false)).toHaveLength(1);
});

it('leaves slots for another team, however many a few teams take', () => {
  const slots = openSlots();
  for (const isProven of [false, true])
    for (const teamId of [TeamId.create(), TeamId.create(), TeamId.create()])
      for (let count = 0; count < 200; count += 1) takeAll(slots.open(teamId), isProven);
  expect(slots.open(TeamId.create()).take(false)).toBeDefined();
  expect(slots.open(TeamId.create()).take(true)).toBeDefined();
});

it('S85: keeps a slot for each team, to a quick endpoint beside slow ones too', () => {
  const slots = openSlots();
  const slow = Array.from({ length: 40 }, () => TeamId.create());
  for (const isProven of [false, true])
    for (const teamId of slow) for (let count = 0; count < 50; count += 1) takeAll(slots.open(teamId), isProven);
  for (let count = 0; count < 100; count += 1) {
    const teamId = TeamId.create();
    expect(slots.open(teamId).take(false)).toBeDefined();
    expect(slots.open(teamId).take(true)).toBeDefined();
  }
});

it('gives a slot that becomes free to whoever has waited the longest', () => {
  const slots = openSlots({ ofTeam: 1 });
  const teamId = TeamId.create();
  const [giveBack] = takeAll(slots.open(teamId));
  const taken: { readonly name: string; readonly giveBack: () => void }[] = [];
  for (const name of ['first', 'second', 'third']) {
    const room = slots.open(teamId);
    room.wait(true, again => taken.push({ name, giveBack: again }));
    if (name === 'second') room.close();
  }
  giveBack?.();
  expect(taken.map(({ name }) => name)).toEqual(['first']);
  taken[0]?.giveBack();
  expect(taken.map(({ name }) => name)).toEqual(['first', 'third']);
});

it('gives a team that has used up its pace nothing until its pause ends, and others all they want', async () => {
  const [paced, other] = [TeamId.create(), TeamId.create()];
  let left = 2;
  const mayBegin = (teamId: TeamId) => {
    if (teamId === paced) left -= 1;
    return teamId !== paced || left >= 0;
  };
  const slots = openSlots({ mayBegin });
  const room = slots.open(paced);
  expect(takeAll(room)).toHaveLength(2);
  expect(slots.pausing()).toBe(1);
  const went: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    const endpoint = slots.open(paced);
    endpoint.wait(true, () => went.push(name));
    // As a turn asks again whenever something has happened.
    if (name === 'first') endpoint.wait(true, () => went.push(`${name} again`));
  }
  left = 2;
  expect(room.take(true)).toBeUndefined();
  expect(takeAll(slots.open(other)).length).toBeGreaterThan(100);
  expect(went).toEqual([]);
  await waitFor(() => went.length === 2, { what: 'the pause to end' });
  expect(went).toEqual(['first again', 'second']);
});
