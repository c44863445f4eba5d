import { metrics, type Attributes } from '@opentelemetry/api';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';

/** One reading of something that is measured when metrics are collected. */
export interface Reading {
  readonly value: number;
  readonly attributes?: Attributes;
}

/** Something that a service measures when metrics are collected, and at no other time. */
export interface Gauge {
  readonly name: string;
  readonly description: string;
  /** As in https://ucum.org, for example `s`. */
  readonly unit?: string;
  readonly read: () => Promise<readonly Reading[]>;
}

/** Registers gauges; the returned function removes them. A reading that fails is logged and left out. */
export function registerGauges(gauges: readonly Gauge[], logger: Logger): () => void {
  const meter = metrics.getMeter('billing.service');
  const stops = gauges.map(({ name, description, unit, read }) => {
    const gauge = meter.createObservableGauge(name, { description, ...(unit !== undefined && { unit }) });
    const callback: Parameters<typeof gauge.addCallback>[0] = async result => {
      try {
        for (const { value, attributes } of await read()) result.observe(value, attributes);
      } catch (err) {
        logger.warn({ err, metric: name }, 'metric not read');
      }
    };
    gauge.addCallback(callback);
    return () => gauge.removeCallback(callback);
  });
  return () => stops.forEach(stop => stop());
}

/** What a service's gauges of its schema are about. */
interface SchemaParts {
  readonly consumers: readonly string[];
  /** Tables beside the outbox whose due rows are unpublished events. */
  readonly backlog?: readonly string[] | undefined;
}

/** What every service observes in its own schema. */
export function databaseGauges(em: EntityManager, { consumers, backlog = [] }: SchemaParts): Gauge[] {
  const rows = <Row>(sql: string) => em.fork().execute<Row[]>(sql);
  const readWaiting = async (table: string, events: string): Promise<Reading> => {
    const [row] = await rows<{ count: number }>(
      `select ${events}::int as count from ${table} where due_at is not null`,
    );
    return { value: row?.count ?? 0, attributes: { table } };
  };
  return [
    {
      name: 'billing.outbox.events',
      description: 'Events that wait to be published, by the table that has them.',
      read: () =>
        Promise.all([
          readWaiting('outbox_messages', 'coalesce(sum(events), 0)'),
          ...backlog.map(table => readWaiting(table, 'count(*)')),
        ]),
    },
    {
      name: 'billing.outbox.age',
      description: 'Age of the oldest event in the outbox that waits to be published; 0 when none does.',
      unit: 's',
      read: async () => {
        const [row] = await rows<{ age: number | null }>(
          `select extract(epoch from clock_timestamp() - created_at)::float8 as age
             from outbox_messages where due_at is not null order by sequence limit 1`,
        );
        return [{ value: Math.max(0, row?.age ?? 0) }];
      },
    },
    {
      name: 'billing.dead_letters',
      description: 'Events that a consumer gave up, and that nobody has retried or dropped.',
      read: async () => {
        const found = await rows<{ consumer: string; count: number }>(
          `select consumer, count(*)::int as count from dead_letters where dead_lettered_at is not null group by consumer`,
        );
        const counts = new Map([
          ...consumers.map(name => [name, 0] as const),
          ...found.map(row => [row.consumer, row.count] as const),
        ]);
        return [...counts].map(([consumer, value]) => ({ value, attributes: { consumer } }));
      },
    },
  ];
}

/** How far a consumer is behind. */
interface Lag {
  readonly consumer: string;
  /** Messages that were not delivered yet. */
  readonly pending: number;
  /** Messages that were delivered and are not acknowledged. */
  readonly inFlight: number;
}

/** What every service observes of its consumers. */
export function consumerGauges(consumers: readonly string[], lagOf: (name: string) => Promise<Lag>): Gauge[] {
  return [
    {
      name: 'billing.consumer.lag',
      description: 'Messages of the stream that a consumer has not acknowledged, by whether they were delivered.',
      read: async () => {
        const lags = await Promise.all(consumers.map(lagOf));
        return lags.flatMap(({ consumer, pending, inFlight }) => [
          { value: pending, attributes: { consumer, state: 'pending' } },
          { value: inFlight, attributes: { consumer, state: 'in_flight' } },
        ]);
      },
    },
  ];
}
