import { WebhookEndpointId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { openPaces } from './pace.ts';

const newPace = () => openPaces()(WebhookEndpointId.create(), 10);

it('begins with one request at a time, and doubles that with each quick success', () => {
  const pace = newPace();
  const limits = [0, 100, 200, 300, 400].map(at => {
    pace.begin(at)(at + 50, 200);
    return pace.limit(at + 50);
  });
  expect(limits).toEqual([2, 4, 8, 10, 10]);
  expect(pace.isProven(500)).toBe(true);
});

it.each([429, 502, 504])('halves the concurrency for a while after %i', status => {
  const pace = newPace();
  for (const at of [0, 1, 2, 3]) pace.begin(at)(at, 200);
  const ends = [pace.begin(10), pace.begin(10)];
  for (const end of ends) end(20, status);
  expect(pace.limit(20)).toBe(5);
  pace.begin(30)(40, 200);
  expect(pace.limit(40)).toBe(5);
  pace.begin(40_000)(40_010, 200);
  expect(pace.limit(40_010)).toBe(10);
});

it('no longer counts as quick while a request hangs, after an error and after a slow response', () => {
  const pace = newPace();
  pace.begin(0)(10, 200);
  const end = pace.begin(100);
  expect(pace.isProven(200)).toBe(true);
  expect(pace.isProven(3_000)).toBe(false);
  end(14_000, 200);
  expect(pace.isProven(14_000)).toBe(false);
  pace.begin(15_000)(15_010, 204);
  expect(pace.isProven(15_010)).toBe(true);
  pace.begin(16_000)(16_010, 500);
  expect(pace.isProven(16_010)).toBe(false);
});
