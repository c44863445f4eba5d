import type { TaxBehavior } from '@billing/contracts/resources/price';
import type { Processor } from '../port.ts';
import { readPrice, readProduct, toProductParams } from '../snapshots/catalog.ts';
import { given, write, type Calls } from './calls.ts';
import type { Usage } from '../usage.ts';
import { findCreated } from './find-created.ts';
import { provideMeter } from './usage.ts';

type Catalog = Pick<
  Processor,
  | 'createProduct'
  | 'findProduct'
  | 'findCreatedProduct'
  | 'updateProduct'
  | 'createPrice'
  | 'findPrice'
  | 'findCreatedPrice'
  | 'updatePrice'
>;

/** A price contains its amounts in other currencies only when they are expanded. */
export const WHOLE_PRICE = { expand: ['currency_options'] };
export const WHOLE_PRICES = { expand: ['data.currency_options'] };

/** Products and prices; `usage` finds meters. */
export function catalogCalls(calls: Calls, usage: Pick<Usage, 'findMeter'>): Catalog {
  const { stripe, call } = calls;
  return {
    createProduct: ({ metadata, ...texts }, key) =>
      call(async () => {
        const product = { ...given(toProductParams(texts, undefined)), name: texts.name, metadata: { ...metadata } };
        return readProduct(await stripe.products.create(product, write(key)));
      }),
    findProduct: id => call(async () => readProduct(await stripe.products.retrieve(id))),
    findCreatedProduct: async created => {
      const found = await findCreated(created, page => call(() => stripe.products.list(page)));
      return found && readProduct(found);
    },
    updateProduct: (id, { isActive, defaultPriceId, metadata, ...texts }, key) =>
      call(async () => {
        const settings = { active: isActive, default_price: defaultPriceId, metadata: metadata && { ...metadata } };
        const changes = given({ ...toProductParams(texts, ''), ...settings });
        return readProduct(await stripe.products.update(id, changes, write(key)));
      }),

    createPrice: async (wanted, key) => {
      const { productId, unitAmount, currency, currencyOptions, recurring, meter, taxBehavior, metadata } = wanted;
      const metered = meter !== undefined && {
        usage_type: 'metered' as const,
        meter: await provideMeter(calls, usage, meter, `${key}:meter`),
      };
      return call(async () => {
        const interval = recurring && {
          recurring: { interval: recurring.interval, interval_count: recurring.intervalCount, ...metered },
        };
        const price = { product: productId, unit_amount: unitAmount, currency, ...interval, metadata: { ...metadata } };
        const params = {
          ...price,
          ...given({ tax_behavior: setBehavior(taxBehavior) }),
          ...optionParams(currencyOptions),
        };
        return readPrice(await stripe.prices.create({ ...params, ...WHOLE_PRICE }, write(key)));
      });
    },
    findPrice: id => call(async () => readPrice(await stripe.prices.retrieve(id, WHOLE_PRICE))),
    findCreatedPrice: async (product, created) => {
      const found = await findCreated(created, page =>
        call(() => stripe.prices.list({ ...page, product, ...WHOLE_PRICES })),
      );
      return found && readPrice(found);
    },
    updatePrice: (id, { isActive, taxBehavior, metadata, currencyOptions }, key) =>
      call(async () => {
        const changes = given({ active: isActive, tax_behavior: taxBehavior, metadata: metadata && { ...metadata } });
        const params = { ...changes, ...optionParams(currencyOptions), ...WHOLE_PRICE };
        return readPrice(await stripe.prices.update(id, params, write(key)));
      }),
  };
}

/** An unspecified behavior is not sent: the default of the account counts. */
const setBehavior = (taxBehavior: TaxBehavior | undefined) => (taxBehavior === 'unspecified' ? undefined : taxBehavior);

/** Returns amounts in other currencies as parameters; none for no amounts. */
function optionParams(options: Parameters<Processor['updatePrice']>[1]['currencyOptions'] = {}) {
  const params = Object.entries(options).map(([currency, { unitAmount, taxBehavior }]) => [
    currency,
    given({ unit_amount: unitAmount, tax_behavior: setBehavior(taxBehavior) }),
  ]);
  return params.length === 0 ? {} : { currency_options: Object.fromEntries(params) };
}
