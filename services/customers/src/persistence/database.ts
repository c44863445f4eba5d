import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { CustomerEmail } from './customer-email.entity.ts';
import { Customer } from './customer.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';

/** The service's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'customers',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, ...operationLogEntities, Customer, CustomerEmail],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      ...operationLogMigrations,
      { name: '0001-create-customers', class: CreateCustomers },
    ],
  });
}
