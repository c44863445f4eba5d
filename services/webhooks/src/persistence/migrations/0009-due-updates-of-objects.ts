import { Migration } from '@mikro-orm/migrations';

/** The newest update of an object supersedes those that wait with it: this index finds them. */
export class DueUpdatesOfObjects extends Migration {
  override up(): void {
    this.addSql(`
      create index webhook_events_due_of_object on webhook_events (team_id, object_id) where due_at is not null
        and type in ('customer.subscription.updated', 'invoice.updated', 'product.updated', 'price.updated')`);
  }
}
