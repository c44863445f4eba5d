import type { Processor } from '../port.ts';
import { readPrice, readProduct, toProductParams } from '../snapshots/catalog.ts';
import { given, write, type Calls } from './calls.ts';
import { findCreated } from './find-created.ts';

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

/** Products and prices. */
export function catalogCalls({ stripe, call }: Calls): Catalog {
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

    createPrice: ({ productId, unitAmount, currency, recurring, taxBehavior, metadata }, key) =>
      call(async () => {
        const interval = recurring && {
          recurring: { interval: recurring.interval, interval_count: recurring.intervalCount },
        };
        const price = { product: productId, unit_amount: unitAmount, currency, ...interval, metadata: { ...metadata } };
        const tax = given({ tax_behavior: taxBehavior === 'unspecified' ? undefined : taxBehavior });
        return readPrice(await stripe.prices.create({ ...price, ...tax }, write(key)));
      }),
    findPrice: id => call(async () => readPrice(await stripe.prices.retrieve(id, { expand: ['currency_options'] }))),
    findCreatedPrice: async (product, created) => {
      const found = await findCreated(created, page => call(() => stripe.prices.list({ ...page, product })));
      return found && readPrice(found);
    },
    updatePrice: (id, { isActive, taxBehavior, metadata }, key) =>
      call(async () => {
        const changes = given({ active: isActive, tax_behavior: taxBehavior, metadata: metadata && { ...metadata } });
        return readPrice(await stripe.prices.update(id, changes, write(key)));
      }),
  };
}
