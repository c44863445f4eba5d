import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { PriceCopy, ProductCopy } from './catalog-copies.entity.ts';
import { CheckoutSession } from './checkout-session.entity.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { CustomerIntake } from './customer-intake.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { CreateSubscriptions } from './migrations/0001-create-subscriptions.ts';
import { ShowAmounts } from './migrations/0002-show-amounts.ts';
import { MakePaymentsRecords } from './migrations/0003-make-payments-records.ts';
import { CreateCustomerIntakes } from './migrations/0004-create-customer-intakes.ts';
import { CopyMetered } from './migrations/0005-copy-metered.ts';
import { BeginIndexesWithCustomers } from './migrations/0006-begin-indexes-with-customers.ts';
import { Payment } from './payment.entity.ts';
import { Subscription } from './subscription.entity.ts';

/** The tables of the service. */
export const subscriptionsSchema = {
  entities: [
    ...operationLogEntities,
    Subscription,
    Invoice,
    Payment,
    CheckoutSession,
    CustomerCopy,
    CustomerIntake,
    ProductCopy,
    PriceCopy,
  ],
  migrations: [
    ...operationLogMigrations,
    { name: '0001-create-subscriptions', class: CreateSubscriptions },
    { name: '0002-show-amounts', class: ShowAmounts },
    { name: '0003-make-payments-records', class: MakePaymentsRecords },
    { name: '0004-create-customer-intakes', class: CreateCustomerIntakes },
    { name: '0005-copy-metered', class: CopyMetered },
    { name: '0006-begin-indexes-with-customers', class: BeginIndexesWithCustomers },
  ],
};
