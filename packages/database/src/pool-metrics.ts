import { metrics } from '@opentelemetry/api';
import type { Pool } from 'pg';
import type { EndedQuery } from './slow-queries.ts';
import { verbOf } from './statement-summary.ts';

/**
 * Measures how many connections the pool of that name has, and how many statements wait for one. Returns a function that measures how long
 * a statement took, by its verb. https://opentelemetry.io/docs/specs/semconv/db/database-metrics/
 */
export function measurePool(pool: Pool, name: string): (query: EndedQuery) => void {
  const meter = metrics.getMeter('billing.database');
  const attributes = { 'db.client.connection.pool.name': name };
  const duration = meter.createHistogram('db.client.operation.duration', {
    description: 'How long statements took, waiting for locks included.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] },
  });
  const count = meter.createObservableUpDownCounter('db.client.connection.count', {
    description: 'Connections of the pool.',
  });
  const pending = meter.createObservableUpDownCounter('db.client.connection.pending_requests', {
    description: 'Statements that wait for a connection.',
  });
  count.addCallback(result => {
    if (pool.ended) return;
    const observe = (state: string, value: number) =>
      result.observe(value, { 'db.client.connection.state': state, ...attributes });
    observe('idle', pool.idleCount);
    observe('used', pool.totalCount - pool.idleCount);
  });
  pending.addCallback(result => {
    if (!pool.ended) result.observe(pool.waitingCount, attributes);
  });
  return ({ sql, ms }) =>
    duration.record(ms / 1_000, { 'db.system.name': 'postgresql', 'db.operation.name': verbOf(sql).toUpperCase() });
}
