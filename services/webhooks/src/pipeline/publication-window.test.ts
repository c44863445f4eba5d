import { TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openPublicationWindow } from './publication-window.ts';

const [team, other] = [TeamId.create(), TeamId.create()];

it('has room for other teams when one has published as many events as it may', () => {
  const window = openPublicationWindow(() => 0);
  for (let index = 0; index < 1_000; index += 1) window.add(team, `${index}`);
  expect([window.roomOf(team), window.roomOf(other), window.room()]).toEqual([0, 1_000, 1_000]);
  window.remove('0');
  window.remove('0');
  expect([window.roomOf(team), window.room()]).toEqual([1, 1_001]);
});

it('counts an event once, and not after half a second', () => {
  let now = 0;
  const window = openPublicationWindow(() => now);
  window.add(team, 'early');
  now = 300;
  window.add(team, 'late');
  window.add(team, 'late');
  expect(window.roomOf(team)).toBe(998);
  now = 500;
  expect(window.roomOf(team)).toBe(999);
  now = 800;
  expect(window.roomOf(team)).toBe(1_000);
});
