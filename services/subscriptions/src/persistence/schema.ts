import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { DiscountCopy, PriceCopy, ProductCopy } from './catalog-copies.entity.ts';
import { CheckoutSession } from './checkout-session.entity.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { CustomerIntake } from './customer-intake.entity.ts';
import { FeatureCopy, ProductFeatureCopy, GrantCopy, ProjectCopy } from './feature-copies.entity.ts';
import { DeletedInvoice } from './deleted-invoice.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { CreateSubscriptions } from './migrations/0001-create-subscriptions.ts';
import { CreatePriceMigrations } from './migrations/0002-create-price-migrations.ts';
import { Payment } from './payment.entity.ts';
import { MigratedSubscription, PriceMigration } from './price-migration.entity.ts';
import { Subscription } from './subscription.entity.ts';

/** The tables of the service; `shown_states`, which has no entity, is read and written by SQL alone. */
export const subscriptionsSchema = {
  entities: [
    ...operationLogEntities,
    Subscription,
    Invoice,
    DeletedInvoice,
    Payment,
    CheckoutSession,
    PriceMigration,
    MigratedSubscription,
    CustomerCopy,
    CustomerIntake,
    ProductCopy,
    PriceCopy,
    DiscountCopy,
    FeatureCopy,
    ProductFeatureCopy,
    GrantCopy,
    ProjectCopy,
  ],
  migrations: [
    ...operationLogMigrations,
    { name: '0001-create-subscriptions', class: CreateSubscriptions },
    { name: '0002-create-price-migrations', class: CreatePriceMigrations },
  ],
};
