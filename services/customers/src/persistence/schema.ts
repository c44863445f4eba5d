import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { Customer } from './customer.entity.ts';
import { CustomerIdentifier } from './customer-identifier.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';
import { AddExternalIds } from './migrations/0002-add-external-ids.ts';
import { CustomersWithoutEmail } from './migrations/0003-customers-without-email.ts';

/** The tables of the customers service. */
export const customersSchema = {
  entities: [...operationLogEntities, Customer, CustomerIdentifier],
  migrations: [
    ...operationLogMigrations,
    { name: '0001-create-customers', class: CreateCustomers },
    { name: '0002-add-external-ids', class: AddExternalIds },
    { name: '0003-customers-without-email', class: CustomersWithoutEmail },
  ],
};
