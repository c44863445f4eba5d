import type { EntityManager } from '@mikro-orm/postgresql';

/** The tables whose rows lie in a partition for each UTC day. */
const TABLES = ['events', 'webhook_deliveries', 'delivery_attempts'] as const;
/** Partitions that exist before they are needed: a service that was down for so long still finds one. */
const DAYS_AHEAD = 7;
const DAY_MS = 86_400_000;

/** `events_20260302` has the rows of that day. */
const nameOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;

/**
 * Makes the partitions of the coming days, and drops those of days before the retention. Several copies may do it at once.
 * Call it before anything is written, and every hour.
 */
export async function maintainPartitions(
  em: EntityManager,
  { retentionDays, now }: { readonly retentionDays: number; readonly now: Date },
): Promise<void> {
  const dayOf = (ahead: number) => new Date(now.getTime() + ahead * DAY_MS).toISOString().slice(0, 10);
  await em.fork().transactional(async tx => {
    // A backup that reads for long must not make every write wait behind this.
    await tx.execute(`set local lock_timeout = '5s'`);
    await tx.execute(`select pg_advisory_xact_lock(hashtext('billing partitions'))`);
    const rows = await tx.execute<{ name: string }[]>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = any(array[${TABLES.map(table => `'${table}'::regclass`).join(', ')}])`,
    );
    const existing = new Set(rows.map(({ name }) => name));
    for (const table of TABLES) {
      const first = nameOf(table, dayOf(-retentionDays));
      for (const name of existing)
        if (name.startsWith(`${table}_2`) && name < first) await tx.execute(`drop table ${name}`);
      for (let ahead = -1; ahead <= DAYS_AHEAD; ahead += 1) {
        const [day, next] = [dayOf(ahead), dayOf(ahead + 1)];
        const name = nameOf(table, day);
        if (!existing.has(name))
          await tx.execute(
            `create table ${name} partition of ${table} for values from ('${day} 00:00+00') to ('${next} 00:00+00')`,
          );
      }
    }
  });
}
