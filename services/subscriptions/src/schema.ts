import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { DiscountCopy, PriceCopy, ProductCopy } from './copies/catalog-copies.entity.ts';
import { CheckoutSession } from './checkout/checkout-session.entity.ts';
import { CustomerCopy, TaxLocation } from './copies/customer-copy.entity.ts';
import { CustomerIntake } from './intake/customer-intake.entity.ts';
import { FeatureCopy, ProductFeatureCopy, GrantCopy, ProjectCopy } from './copies/feature-copies.entity.ts';
import { DeletedInvoice, Invoice } from './money/invoice.entity.ts';
import { CreateSubscriptions } from './migrations/0001-create-subscriptions.ts';
import { CreatePriceMigrations } from './migrations/0002-create-price-migrations.ts';
import { AddRefusedPaymentMethods } from './migrations/0003-add-refused-payment-methods.ts';
import { AddCustomerDiscounts } from './migrations/0004-add-customer-discounts.ts';
import { FindAmounts } from './migrations/0006-find-amounts.ts';
import { FoldInvoiceNumbers } from './migrations/0005-fold-invoice-numbers.ts';
import { AddTax } from './migrations/0007-add-tax.ts';
import { AddInvoiceContent } from './migrations/0008-add-invoice-content.ts';
import { CopyAutomaticTax } from './migrations/0009-copy-automatic-tax.ts';
import { NameSoldPrices } from './migrations/0010-name-sold-prices.ts';
import { CopyEntitlementsWhilePaused } from './migrations/0011-copy-entitlements-while-paused.ts';
import { KeepClientSecrets } from './migrations/0012-keep-client-secrets.ts';
import { CopyPriceCurrencies } from './migrations/0013-copy-price-currencies.ts';
import { CopyPriceKeys } from './migrations/0014-copy-price-keys.ts';
import { FollowTestClocks } from './migrations/0015-follow-test-clocks.ts';
import { Payment } from './money/payment.entity.ts';
import { MigratedSubscription, PriceMigration } from './price-migrations/price-migration.entity.ts';
import { Subscription } from './record/subscription.entity.ts';

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
    TaxLocation,
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
    { name: '0003-add-refused-payment-methods', class: AddRefusedPaymentMethods },
    { name: '0004-add-customer-discounts', class: AddCustomerDiscounts },
    { name: '0005-fold-invoice-numbers', class: FoldInvoiceNumbers },
    { name: '0006-find-amounts', class: FindAmounts },
    { name: '0007-add-tax', class: AddTax },
    { name: '0008-add-invoice-content', class: AddInvoiceContent },
    { name: '0009-copy-automatic-tax', class: CopyAutomaticTax },
    { name: '0010-name-sold-prices', class: NameSoldPrices },
    { name: '0011-copy-entitlements-while-paused', class: CopyEntitlementsWhilePaused },
    { name: '0012-keep-client-secrets', class: KeepClientSecrets },
    { name: '0013-copy-price-currencies', class: CopyPriceCurrencies },
    { name: '0014-copy-price-keys', class: CopyPriceKeys },
    { name: '0015-follow-test-clocks', class: FollowTestClocks },
  ],
};
