import { expect, it } from 'vitest';
import { openTokenBucket } from './token-bucket.ts';

let time = 0;
const open = () => openTokenBucket({ perSecond: 10, burst: 3 }, () => time);
const countTaken = (take: () => boolean, tries: number) =>
  Array.from({ length: tries }, () => take()).filter(Boolean).length;

it('lets even traffic at the rate through', () => {
  const take = open();
  for (let index = 0; index < 50; index += 1) {
    time += 100;
    expect(take()).toBe(true);
  }
});

it('lets the burst and then the rate of a flood through', () => {
  const take = open();
  expect(countTaken(take, 1_000)).toBe(3);
  time += 200;
  expect(countTaken(take, 1_000)).toBe(2);
});

it('saves no more than the burst', () => {
  const take = open();
  time += 3_600_000;
  expect(countTaken(take, 1_000)).toBe(3);
});
