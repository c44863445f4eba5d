import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { Coupon } from './coupon.entity.ts';
import { Feature, ProductFeature } from './feature.entity.ts';
import { CreateCatalog } from './migrations/0001-create-catalog.ts';
import { AddCurrencyOptions } from './migrations/0002-add-currency-options.ts';
import { AllowSecondLives } from './migrations/0003-allow-second-lives.ts';
import { AddTax } from './migrations/0004-add-tax.ts';
import { AddPriceCurrencies } from './migrations/0005-add-price-currencies.ts';
import { AddKeys } from './migrations/0006-add-keys.ts';
import { NameMeters } from './migrations/0007-name-meters.ts';
import { Price } from './price.entity.ts';
import { Product } from './product.entity.ts';
import { PromotionCode } from './promotion-code.entity.ts';

/** The tables of the catalog. */
export const catalogSchema = {
  entities: [...operationLogEntities, Product, Price, Feature, ProductFeature, Coupon, PromotionCode],
  migrations: [
    ...operationLogMigrations,
    { name: '0001-create-catalog', class: CreateCatalog },
    { name: '0002-add-currency-options', class: AddCurrencyOptions },
    { name: '0003-allow-second-lives', class: AllowSecondLives },
    { name: '0004-add-tax', class: AddTax },
    { name: '0005-add-price-currencies', class: AddPriceCurrencies },
    { name: '0006-add-keys', class: AddKeys },
    { name: '0007-name-meters', class: NameMeters },
  ],
};
