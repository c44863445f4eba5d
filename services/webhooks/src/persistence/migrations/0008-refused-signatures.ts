import { Migration } from '@mikro-orm/migrations';

export class RefusedSignatures extends Migration {
  override up(): void {
    this.addSql(`
      create table refused_signatures (
        team_id text not null,
        minute timestamptz not null,
        refused int not null,
        primary key (team_id, minute)
      )`);
  }
}
