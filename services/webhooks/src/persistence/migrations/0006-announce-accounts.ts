import { Migration } from '@mikro-orm/migrations';

/** The gateway refuses test keys on live accounts, so it has to know those that were connected before it did. */
export class AnnounceAccounts extends Migration {
  override up(): void {
    this.addSql(`
      insert into outbox_events (id, type, team_id, data, data_bytes, trace, occurred_at, due_at)
      select gen_random_uuid(), 'processor-account.changed.v1', team_id, data, octet_length(data::text), '{}', now(), now()
        from (select team_id, json_build_object('version', version, 'accountId', account_id, 'livemode', livemode) as data
                from processor_accounts) accounts`);
  }
}
