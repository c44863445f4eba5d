import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { CustomerEmail } from './customer-email.entity.ts';
import { Customer } from './customer.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';

/** The tables of the customers service. */
export const customersSchema = {
  entities: [...operationLogEntities, Customer, CustomerEmail],
  migrations: [...operationLogMigrations, { name: '0001-create-customers', class: CreateCustomers }],
};
