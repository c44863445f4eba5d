import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { Customer } from './customer.entity.ts';
import { CustomerIdentifier } from './customer-identifier.entity.ts';
import { Grant } from './grant.entity.ts';
import { CreateCustomers } from './migrations/0001-create-customers.ts';
import { AddCustomerDiscounts } from './migrations/0002-add-customer-discounts.ts';
import { FoldSearchedTexts } from './migrations/0003-fold-searched-texts.ts';
import { TellLivesApart } from './migrations/0004-tell-lives-apart.ts';
import { TestClock } from '../test-clocks/test-clock.entity.ts';
import { AddBillingDetails } from './migrations/0005-add-billing-details.ts';
import { CreateTestClocks } from './migrations/0006-create-test-clocks.ts';
import { RecordUsage } from './migrations/0007-record-usage.ts';
import { AdvanceClocksOnce } from './migrations/0008-advance-clocks-once.ts';
import { UsageEvent } from '../usage/usage-event.entity.ts';
import { UsageCheck, UsageQueue } from '../usage/usage-queue.entity.ts';

/** The tables of the customers service. */
export const customersSchema = {
  entities: [
    ...operationLogEntities,
    Customer,
    CustomerIdentifier,
    Grant,
    TestClock,
    UsageEvent,
    UsageQueue,
    UsageCheck,
  ],
  migrations: [
    ...operationLogMigrations,
    { name: '0001-create-customers', class: CreateCustomers },
    { name: '0002-add-customer-discounts', class: AddCustomerDiscounts },
    { name: '0003-fold-searched-texts', class: FoldSearchedTexts },
    { name: '0004-tell-lives-apart', class: TellLivesApart },
    { name: '0005-add-billing-details', class: AddBillingDetails },
    { name: '0006-create-test-clocks', class: CreateTestClocks },
    { name: '0007-record-usage', class: RecordUsage },
    { name: '0008-advance-clocks-once', class: AdvanceClocksOnce },
  ],
};
