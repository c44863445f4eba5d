import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../finding.ts';
import { checkDeadLetters } from './dead-letters.ts';
import { checkEndpoints } from './endpoints.ts';
import { checkLeases } from './leases.ts';
import { checkMigrations } from './migrations.ts';
import { checkOutboxes } from './outboxes.ts';

it('finds outboxes that are deep, old, or both', () => {
  const outboxes = [
    { service: 'catalog', rows: 10_000, oldestSeconds: 300 },
    { service: 'customers', rows: 10_001, oldestSeconds: 301 },
    { service: 'portal', rows: 0, oldestSeconds: null },
  ];
  expect(checkOutboxes(outboxes, DEFAULT_LIMITS).map(({ check, subject }) => `${check} ${subject}`)).toEqual([
    'outbox-deep customers',
    'outbox-old customers',
  ]);
});

it('finds work that nobody does', () => {
  const reading = { service: 'webhooks', table: 'webhook_events', rows: 2 };
  expect(checkLeases([{ ...reading, seconds: 300 }], DEFAULT_LIMITS)).toEqual([]);
  expect(checkLeases([{ ...reading, rows: 0, seconds: 900 }], DEFAULT_LIMITS)).toEqual([]);
  expect(checkLeases([{ ...reading, seconds: 301 }], DEFAULT_LIMITS)).toMatchObject([
    { subject: 'webhooks.webhook_events' },
  ]);
});

it('finds endpoints of tenants that fail, or stand still', () => {
  const reading = { id: 'whe_1', teamId: 'team_1', events: 3, seconds: 301 };
  const checkOf = (status: 'enabled' | 'failing', seconds = 301) =>
    checkEndpoints([{ ...reading, status, seconds }], DEFAULT_LIMITS).map(({ check }) => check);
  expect(checkOf('failing')).toEqual(['endpoint-fails']);
  expect(checkOf('enabled')).toEqual(['endpoint-stands-still']);
  expect(checkOf('enabled', 300)).toEqual([]);
});

it('adds up the dead letters of a service', () => {
  const letters = ['a', 'b', 'c', 'd'].map(consumer => ({ service: 'catalog', consumer, count: 2 }));
  expect(checkDeadLetters(letters)).toMatchObject([{ problem: 'catalog has 8 dead letters, of a, b, c, 1 more.' }]);
  expect(checkDeadLetters([])).toEqual([]);
});

it('finds migrations that have not run', () => {
  const declared = ['0001-create', '0002-more'];
  expect(checkMigrations([{ service: 'portal', declared, run: [...declared, '0003-newer'] }])).toEqual([]);
  expect(checkMigrations([{ service: 'portal', declared, run: ['0001-create'] }])).toMatchObject([
    { problem: 'The schema of portal lacks 0002-more.' },
  ]);
});
