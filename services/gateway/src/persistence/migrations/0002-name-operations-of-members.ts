import { Migration } from '@mikro-orm/migrations';

export class NameOperationsOfMembers extends Migration {
  override up(): void {
    this.addSql(`alter table members add column operation_key uuid`);
  }
}
