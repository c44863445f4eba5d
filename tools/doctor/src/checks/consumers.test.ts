import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../finding.ts';
import { checkConsumers } from './consumers.ts';

const declared = new Map([
  ['customers', 'customers'],
  ['catalog-prices', 'catalog'],
]);

it('finds consumers that are missing or behind, and those that no service reads', () => {
  const consumers = [
    { name: 'customers', waiting: 3, oldestMs: 299_000 },
    { name: 'old-name', waiting: 7, oldestMs: 301_000 },
  ];
  const findings = checkConsumers(consumers, declared, DEFAULT_LIMITS);
  expect(findings).toMatchObject([
    { check: 'consumer-missing', subject: 'catalog-prices', action: expect.stringContaining('Start catalog') },
    { check: 'consumer-behind', subject: 'old-name', action: expect.stringContaining('delete it') },
  ]);
  const late = [...declared.keys()].map(name => ({ name, waiting: 1, oldestMs: 600_000 }));
  expect(checkConsumers(late, declared, DEFAULT_LIMITS).map(({ action }) => action)).toEqual([
    expect.stringContaining('log of customers'),
    expect.stringContaining('log of catalog'),
  ]);
});
