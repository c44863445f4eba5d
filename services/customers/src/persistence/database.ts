import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { journalEntities, journalMigrations } from '@billing/processor/journal/tables';
import { CustomerEmail } from './customer-email.entity.ts';
import { Customer } from './customer.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';

/** The service's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'customers',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, ...journalEntities, Customer, CustomerEmail],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      ...journalMigrations,
      { name: '0001-create-customers', class: CreateCustomers },
    ],
  });
}
