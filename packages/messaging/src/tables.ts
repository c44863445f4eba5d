import { Migration } from '@mikro-orm/migrations';
import { DeadLetter } from './dead-letters.ts';
import { OutboxMessage } from './outbox-message.entity.ts';
import { ProcessedEvent } from './processed-events.ts';
import { PurgedTeam } from './purged-teams.ts';

/** The tables that every service has for the bus; they stand first in its lists of entities and migrations. */
export const messagingEntities = [OutboxMessage, ProcessedEvent, DeadLetter, PurgedTeam];

class CreateMessagingTables extends Migration {
  override up(): void {
    // So that marking a message as published does not write its body again: a large one is out of line, and beside a small one
    // is room for the row's next version, of which PostgreSQL then logs what differs.
    this.addSql(`
      create table outbox_messages (
        sequence bigserial primary key,
        id uuid not null,
        type text not null,
        team_id text not null,
        body text not null,
        events int not null,
        trace jsonb not null,
        created_at timestamptz not null,
        due_at timestamptz,
        lease_id uuid,
        published_at timestamptz
      ) with (toast_tuple_target = 128, fillfactor = 50)`);
    this.addSql(`create index outbox_messages_unpublished on outbox_messages (sequence) where due_at is not null`);
    this.addSql(`
      create index outbox_messages_published on outbox_messages (team_id, sequence) where published_at is not null`);
    this.addSql(`
      create table processed_events (
        event_id uuid not null,
        consumer text not null,
        processed_at timestamptz not null,
        primary key (event_id, consumer)
      )`);
    this.addSql(`
      create table dead_letters (
        id uuid not null default gen_random_uuid() constraint dead_letters_id_unique unique,
        consumer text not null,
        event_id uuid not null,
        type text not null,
        team_id text not null,
        event jsonb not null,
        attempts int not null,
        error text not null,
        reason text,
        failed_at timestamptz not null,
        dead_lettered_at timestamptz,
        due_at timestamptz,
        lease_id uuid,
        deliveries int not null default 0,
        max_attempts int,
        primary key (consumer, event_id)
      )`);
    this.addSql(`
      create index dead_letters_failed on dead_letters (team_id, dead_lettered_at) where dead_lettered_at is not null`);
    this.addSql(`create index dead_letters_retrying on dead_letters (team_id, due_at) where due_at is not null`);
    this.addSql(`
      create table purged_teams (
        team_id text primary key,
        purge_id uuid not null,
        is_open boolean not null,
        until timestamptz
      )`);
  }
}

export const messagingMigrations = [{ name: '0000-create-messaging-tables', class: CreateMessagingTables }];
