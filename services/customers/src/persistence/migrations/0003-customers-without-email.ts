import { Migration } from '@mikro-orm/migrations';

/** A sync also records customers that have no e-mail at the processor. */
export class CustomersWithoutEmail extends Migration {
  override up(): void {
    this.addSql(`alter table customers alter column email drop not null`);
  }
}
