import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openPublicationWindow } from './publication-window.ts';

const [team, other] = [TeamId.create(), TeamId.create()];
const event = (teamId: TeamId, id: number) => ({ teamId, id: `${id}` });

it('has room for other teams when one has published as many events as it may', () => {
  const window = openPublicationWindow(() => 0);
  for (let id = 0; id < 1_000; id += 1) window.add(event(team, id), 1);
  expect([window.roomOf(team), window.roomOf(other)]).toEqual([0, 1_000]);
  window.remove(event(team, 0));
  window.remove(event(team, 0));
  expect(window.roomOf(team)).toBe(1);
  expect(window.rooms()).toEqual({ ofTeams: new Map([[team, 1]]), ofOthers: 1_000 });
});

it('keeps some room for a team while others fill the window', () => {
  const window = openPublicationWindow(() => 0);
  for (let id = 0; id < 4; id += 1) window.add(event(TeamId.create(), id), 1_000);
  window.add(event(team, 1), 20);
  expect([window.roomOf(team), window.roomOf(other)]).toEqual([30, 50]);
});

it('counts an event once, by its weight, for as long as it is not complete', () => {
  let now = 0;
  const window = openPublicationWindow(() => now);
  window.add(event(team, 1), 300);
  window.add(event(team, 1), 300);
  window.add(event(team, 2), 100);
  now = 3_600_000;
  expect(window.roomOf(team)).toBe(600);
  window.remove(event(team, 1));
  expect(window.roomOf(team)).toBe(900);
});

it('names the events that other copies may have completed, once they take room', () => {
  let now = 0;
  const window = openPublicationWindow(() => now);
  window.add(event(team, 1), 400);
  now = 200;
  window.add(event(team, 2), 400);
  now = 300;
  expect(window.overdue()).toEqual([event(team, 1)]);
  window.remove(event(team, 2));
  expect(window.overdue()).toEqual([]);
});
