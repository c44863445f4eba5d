import { expect, it } from 'vitest';
import { openTraceLimit } from './trace-limit.ts';

let time = 0;
const open = () => openTraceLimit({ perSecond: 10, burst: 3 }, () => time);
const countBegun = (mayBegin: () => boolean, tries: number) =>
  Array.from({ length: tries }, () => mayBegin()).filter(Boolean).length;

it('begins every trace of even traffic at the rate', () => {
  const mayBegin = open();
  for (let index = 0; index < 50; index += 1) {
    time += 100;
    expect(mayBegin()).toBe(true);
  }
});

it('begins the burst and then the rate in a flood', () => {
  const mayBegin = open();
  expect(countBegun(mayBegin, 1_000)).toBe(3);
  time += 200;
  expect(countBegun(mayBegin, 1_000)).toBe(2);
});

it('saves no more than the burst', () => {
  const mayBegin = open();
  time += 3_600_000;
  expect(countBegun(mayBegin, 1_000)).toBe(3);
});
