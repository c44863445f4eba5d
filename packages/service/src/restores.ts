import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { Migration } from '@mikro-orm/migrations';

const RestoreSchema = defineEntity({
  name: 'Restore',
  tableName: 'restores',
  properties: {
    restoredAt: p.datetime().primary(),
    /** The time of the backup: what was written here between then and the restore is lost. */
    takenAt: p.datetime(),
  },
});

/** A restore of the service's tables from a backup; the restore itself writes it. */
export class Restore extends RestoreSchema.class {}
RestoreSchema.setClass(Restore);

class CreateRestores extends Migration {
  override up(): void {
    this.addSql(`create table restores (restored_at timestamptz primary key, taken_at timestamptz not null)`);
  }
}

export const restoreEntities = [Restore];
export const restoreMigrations = [{ name: '0000-create-restores', class: CreateRestores }];

/** The processor's clock is not ours. */
const CLOCK_TOLERANCE = `interval '10 minutes'`;

/** Whether what was written here at a time, by the processor's clock, may have been lost by a restore. */
export async function isLostByRestore(em: EntityManager, at: Date): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from restores where ?::timestamptz between taken_at - ${CLOCK_TOLERANCE} and restored_at + ${CLOCK_TOLERANCE} limit 1`,
    [at.toISOString()],
  );
  return rows.length > 0;
}
