import type { DeadLetterReading } from '../checks/dead-letters.ts';
import type { OverdueReading } from '../checks/leases.ts';
import type { OutboxReading } from '../checks/outboxes.ts';
import type { ReadOnlyDatabase } from './database.ts';

/** Reads how many events a service has not published, and how old the oldest is. */
export async function readOutbox({ service, query }: ReadOnlyDatabase): Promise<OutboxReading> {
  const [row] = await query<{ rows: number; oldest: number | null }>(
    `select coalesce(sum(events), 0)::int as rows, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest
       from outbox_messages where due_at is not null`,
  );
  return { service, rows: row?.rows ?? 0, oldestSeconds: row?.oldest ?? null };
}

/** Reads the dead letters of a service, without those that are being retried. */
export async function readDeadLetters({ service, query }: ReadOnlyDatabase): Promise<DeadLetterReading[]> {
  const rows = await query<{ consumer: string; count: number }>(
    `select consumer, count(*)::int as count from dead_letters
      where dead_lettered_at is not null and due_at is null group by consumer order by consumer`,
  );
  return rows.map(row => ({ service, ...row }));
}

/** Outboxes have a check of their own. An idempotent request whose lease has ended waits for its caller. */
const OTHER_WORK = ['outbox_messages', 'idempotent_requests'];

/** Reads the overdue rows of each table of durable work. */
export async function readOverdue({ service, query }: ReadOnlyDatabase): Promise<OverdueReading[]> {
  const tables = await query<{ table: string }>(
    `select table_name as table from information_schema.columns
      where table_schema = $1 and column_name in ('due_at', 'lease_id', 'attempts') and table_name <> all($2)
      group by table_name having bool_or(column_name = 'due_at') and count(*) > 1 order by table_name`,
    [service, OTHER_WORK],
  );
  const readings: OverdueReading[] = [];
  for (const { table } of tables) {
    const [row] = await query<{ rows: number; seconds: number | null }>(
      `select count(*)::int as rows, extract(epoch from clock_timestamp() - min(due_at))::float8 as seconds
         from ${table} where due_at < clock_timestamp()`,
    );
    readings.push({ service, table, rows: row?.rows ?? 0, seconds: row?.seconds ?? 0 });
  }
  return readings;
}
