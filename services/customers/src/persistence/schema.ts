import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { Customer } from './customer.entity.ts';
import { CustomerIdentifier } from './customer-identifier.entity.ts';
import { Grant } from './grant.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';

/** The tables of the customers service. */
export const customersSchema = {
  entities: [...operationLogEntities, Customer, CustomerIdentifier, Grant],
  migrations: [...operationLogMigrations, { name: '0001-create-customers', class: CreateCustomers }],
};
