import type { Serve } from '@billing/service/testing/start-test-service';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { CustomerState } from '@billing/contracts/events/customers';
import { CouponId, CustomerId, PriceId, ProductId, PromotionCodeId, type ProjectScope } from '@billing/contracts/ids';
import {
  FindCustomer,
  FindCustomerByExternalId,
  FindCustomersByProcessorId,
  FindPrices,
  FindPricesByKey,
  FindProducts,
  FindProject,
  FindPromotionCode,
  SearchCustomers,
} from '@billing/contracts/rpc/calls';
import type { Interval } from '@billing/contracts/resources/price';
import type { NewCoupon, NewPromotionCode } from '@billing/processor/discounts';
import type { Processor } from '@billing/processor/port';
import { projectState } from '@billing/testing/projects';
import type { z } from 'zod';

interface OtherServicesOptions {
  readonly processor: Processor;
  readonly serve: Serve;
  /** The project that customers and prices belong to by default. */
  readonly scope: ProjectScope;
}

interface NewTestPrice {
  readonly recurring?: boolean;
  readonly unitAmount?: number;
  readonly currencyOptions?: Readonly<Record<string, { unitAmount: number }>>;
  readonly interval?: Interval;
  readonly intervalCount?: number;
  readonly key?: string;
}

/** Serves the calls of customers, catalog and gateway, which hold what the test creates. */
export async function serveOtherServices({ processor, serve, scope }: OtherServicesOptions) {
  const customers = new Map<string, CustomerState>();
  const projects = new Map<string, ProjectState>();
  const prices = new Map<string, { price: PriceState; product: ProductState }>();
  const promotionCodes = new Map<string, z.output<(typeof FindPromotionCode)['reply']> & object>();
  const stops = [
    await serve(FindCustomer, async ({ projectId, customerId }) => {
      const found = customers.get(customerId);
      return found?.projectId === projectId && !found.deletedAt ? found : null;
    }),
    await serve(FindCustomerByExternalId, async ({ projectId, externalId }) => {
      const ofProject = [...customers.values()].filter(it => it.projectId === projectId && !it.deletedAt);
      return ofProject.find(it => it.externalId === externalId) ?? null;
    }),
    await serve(FindCustomersByProcessorId, async ({ processorCustomerId }) =>
      [...customers.values()].filter(it => it.processorCustomerId === processorCustomerId && !it.deletedAt),
    ),
    await serve(SearchCustomers, async ({ projectId, search }) =>
      [...customers.values()]
        .filter(it => it.projectId === projectId && it.email?.includes(search.toLowerCase()))
        .map(({ id }) => id),
    ),
    await serve(FindProject, async ({ teamId, projectId: id }) => {
      const found = projects.get(id);
      return found?.teamId === teamId ? found : null;
    }),
    await serve(FindPrices, async ({ projectId, priceIds }) =>
      priceIds.flatMap(id => {
        const found = prices.get(id);
        return found?.price.projectId === projectId && !found.price.deletedAt ? [found] : [];
      }),
    ),
    await serve(FindPricesByKey, async ({ projectId, keys }) =>
      keys.flatMap(key => {
        const named = [...prices.values()].filter(({ price: it }) => it.projectId === projectId && it.key === key);
        return named.findLast(({ price: { isActive, deletedAt } }) => isActive && !deletedAt) ?? [];
      }),
    ),
    await serve(FindProducts, async ({ projectId, productIds }) => {
      const products = [...prices.values()].map(({ product }) => product);
      return productIds.flatMap(id => products.find(it => it.id === id && it.projectId === projectId) ?? []);
    }),
    await serve(FindPromotionCode, async ({ projectId, promotionCode: wanted }) => {
      const ofProject = [...promotionCodes.values()].filter(it => it.promotionCode.projectId === projectId);
      return (
        ofProject.find(({ promotionCode: { id, code } }) => id === wanted || code === wanted.toUpperCase()) ?? null
      );
    }),
  ];

  return {
    prices,
    /** What the catalog has of promotion codes, and whether they can be redeemed; a test may change it. */
    promotionCodes,
    /** What the customers service has; a test may change it. */
    customers,
    /** Adds a project to the gateway's, or changes one there. */
    addProject: (project: ProjectScope, changes: Partial<ProjectState> = {}) =>
      void projects.set(project.projectId, projectState(project, changes)),
    /** Stops customers and catalog. */
    stopOtherServices: async () => {
      await Promise.all(stops.map(stop => stop()));
    },
    /** Creates a customer at the processor, unless its id there is given, and in the customers service. */
    createCustomer: async (
      of = scope,
      processorCustomerId?: string,
      linkedToExisting = false,
    ): Promise<CustomerState> => {
      const id = CustomerId.create();
      const email = `${id}@example.com`;
      const metadata = { teamId: of.teamId, projectId: of.projectId, customerId: id };
      const created = processorCustomerId ?? (await processor.createCustomer({ email, metadata }, id)).id;
      const state = { metadata: {}, version: 1, createdAt: new Date(), updatedAt: new Date(), deletedAt: null };
      const link = { processorCustomerId: created, linkedToExisting, balance: null, discountId: null, testClock: null };
      const customer = { id, projectId: of.projectId, email, name: null, externalId: null, ...link, ...state };
      customers.set(id, customer);
      return customer;
    },
    /** Creates a price and its product at the processor and in the catalog. */
    createPrice: async (
      {
        recurring = true,
        unitAmount = 2_999,
        currencyOptions = {},
        interval = 'month',
        intervalCount = 1,
        key,
      }: NewTestPrice = {},
      of = scope,
    ) => {
      const ids = { product: ProductId.create(), price: PriceId.create() };
      const { projectId } = of;
      const processorProduct = await processor.createProduct({ name: 'Pro', metadata: {} }, ids.product);
      const processorPrice = await processor.createPrice(
        {
          productId: processorProduct.id,
          unitAmount,
          currency: 'usd',
          currencyOptions,
          recurring: recurring ? { interval, intervalCount } : null,
          metadata: {},
        },
        ids.price,
      );
      const state = {
        projectId,
        key: null,
        isActive: true,
        metadata: {},
        version: 1,
        createdAt: new Date(),
        deletedAt: null,
      };
      const product: ProductState = {
        ...state,
        id: ids.product,
        name: 'Pro',
        description: null,
        unitLabel: null,
        taxCode: null,
        processorProductId: processorProduct.id,
      };
      const price: PriceState = {
        ...state,
        key: key ?? null,
        id: ids.price,
        productId: ids.product,
        unitAmount,
        unitAmountDecimal: String(unitAmount),
        billingScheme: 'per_unit',
        metered: false,
        currency: 'usd',
        currencyOptions,
        type: recurring ? 'recurring' : 'one_time',
        interval: recurring ? interval : null,
        intervalCount: recurring ? intervalCount : null,
        meter: null,
        taxBehavior: 'unspecified',
        processorPriceId: processorPrice.id,
      };
      prices.set(ids.price, { price, product });
      return { price, product };
    },
    /** Creates a coupon and a code for it at the processor and in the catalog. */
    createPromotionCode: async (
      terms: Partial<Omit<NewPromotionCode, 'couponId'>> & { coupon?: Partial<NewCoupon> } = {},
      of = scope,
    ) => {
      const { projectId } = of;
      const ids = { coupon: CouponId.create(), code: PromotionCodeId.create() };
      const { coupon: wanted, ...more } = terms;
      const base = { name: 'Sale', off: { percent: 50 }, duration: 'forever', metadata: {} } as const;
      const coupon = await processor.createCoupon({ ...base, ...wanted }, ids.coupon);
      const code = await processor.createPromotionCode({ couponId: coupon.id, metadata: {}, ...more }, ids.code);
      const state = { projectId, version: 1, createdAt: new Date(), deletedAt: null };
      const { percentOff, amountOff, currency, duration, durationInMonths } = coupon;
      const created = {
        coupon: {
          ...state,
          id: ids.coupon,
          key: null,
          processorCouponId: coupon.id,
          percentOff,
          amountOff,
          currency,
          duration,
          durationInMonths,
          productIds: null,
        },
        promotionCode: {
          ...state,
          id: ids.code,
          couponId: ids.coupon,
          processorPromotionCodeId: code.id,
          code: code.code.toUpperCase(),
          isActive: true,
        },
        refusal: null,
      };
      promotionCodes.set(ids.code, created);
      return created;
    },
  };
}
