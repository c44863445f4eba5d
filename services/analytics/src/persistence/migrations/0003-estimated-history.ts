import { Migration } from '@mikro-orm/migrations';

export class EstimatedHistory extends Migration {
  override up(): void {
    this.addSql(`alter table projects add column estimated_until timestamptz`);
  }
}
