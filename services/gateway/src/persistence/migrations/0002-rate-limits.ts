import { Migration } from '@mikro-orm/migrations';

export class RateLimits extends Migration {
  override up(): void {
    // Unlogged: counting waits for no disk, and a crash of PostgreSQL begins all windows anew. The library that counts
    // inserts by position.
    this.addSql(`
      create unlogged table rate_limits (
        key text primary key,
        points int not null,
        expire bigint
      )`);
  }
}
