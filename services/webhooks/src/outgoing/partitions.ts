import type { EntityManager } from '@mikro-orm/postgresql';

/** The tables whose rows lie in a partition for each UTC day. */
const TABLES = ['events', 'webhook_deliveries', 'delivery_attempts'] as const;
/** Partitions that exist before they are needed: a service that was down for so long still finds one. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;

/** `events_20260302` has the rows of that day. */
const nameOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;

interface Days {
  readonly retentionDays: number;
  readonly now: Date;
}

/**
 * Makes the partitions of the coming days, and drops those of days before the retention. Several copies may do it at once.
 * Call it every hour.
 */
export async function maintainPartitions(em: EntityManager, days: Days): Promise<void> {
  await preparePartitions(em, days);
  await em.fork().transactional(async tx => {
    const existing = await lockPartitions(tx);
    for (const table of TABLES) {
      const first = nameOf(table, dayOf(days.now, -days.retentionDays));
      for (const name of existing)
        if (name.startsWith(`${table}_2`) && name < first) {
          await tx.execute(`drop table ${name}`);
          await tx.execute(`delete from stored_bytes where store = ?`, [name]);
        }
    }
  });
}

/** Makes the partitions of the coming days. Call it before anything is written: no read or write makes it wait. */
export async function preparePartitions(em: EntityManager, { now }: Pick<Days, 'now'>): Promise<void> {
  await em.fork().transactional(async tx => {
    const existing = await lockPartitions(tx);
    for (const table of TABLES)
      for (let ahead = -1; ahead <= DAYS_AHEAD; ahead += 1) {
        const [day, next] = [dayOf(now, ahead), dayOf(now, ahead + 1)];
        const name = nameOf(table, day);
        if (existing.has(name)) continue;
        // To attach a table takes a lock that reads and writes of the others do not wait for; `partition of` does not.
        await tx.execute(`create table ${name} (like ${table} including defaults including constraints)`);
        await tx.execute(
          `alter table ${table} attach partition ${name} for values from ('${day} 00:00+00') to ('${next} 00:00+00')`,
        );
      }
  });
}

const dayOf = (now: Date, ahead: number): string => new Date(now.getTime() + ahead * DAY_MS).toISOString().slice(0, 10);

/** Keeps other copies from doing the same, and returns the names of the partitions. */
async function lockPartitions(tx: EntityManager): Promise<ReadonlySet<string>> {
  // A backup that reads for long must not make every write wait behind this.
  await tx.execute(`set local lock_timeout = '5s'`);
  await tx.execute(`select pg_advisory_xact_lock(hashtext('billing partitions'))`);
  const rows = await tx.execute<{ name: string }[]>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = any(array[${TABLES.map(table => `'${table}'::regclass`).join(', ')}])`,
  );
  return new Set(rows.map(({ name }) => name));
}
