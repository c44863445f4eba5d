import { Migration } from '@mikro-orm/migrations';

export class CountPayloads extends Migration {
  override up(): void {
    // A default that is the same for all rows writes none of them. Some databases were created with the column.
    this.addSql(`alter table webhook_events add column if not exists payload_bytes int not null default 0`);
    this.addSql(
      `update webhook_events set payload_bytes = octet_length(payload::text) where due_at is not null and payload_bytes = 0`,
    );
    this.addSql(`alter table webhook_events alter column payload_bytes drop default`);
  }
}
