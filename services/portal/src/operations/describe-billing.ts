import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import type { Visitor } from './admit-visitor.ts';
import { findBrand, type Brand } from './find-brand.ts';
import { findCustomerBilling, type CustomerBilling } from './find-customer-billing.ts';
import { findPrices, type Prices } from './find-offer.ts';
import { findPaymentMethods, type PaymentMethodsLookup } from './find-payment-methods.ts';

/** Everything about a customer's billing that the page shows. */
export interface BillingDescription extends CustomerBilling {
  readonly brand: Brand;
  readonly paymentMethods: PaymentMethodsLookup;
  /** The prices that the project offers, and those of coming changes; none when the catalog does not reply. */
  readonly prices: Prices;
}

interface DescribeOptions {
  /** From 1. */
  readonly invoicePage: number;
  /** How long to wait for the processor, in milliseconds. */
  readonly processorDeadlineMs: number;
}

export interface DescribeBillingDependencies {
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/**
 * Collects what the page shows. Only the subscriptions service is required: the project's name and the payment methods
 * are left out when the gateway or the processor fails or is slow.
 * @throws Problem 503 when the subscriptions service does not reply
 */
export function describeBilling({ rpc, processors, logger }: DescribeBillingDependencies) {
  const findBilling = findCustomerBilling({ rpc });
  const findProjectBrand = findBrand({ rpc });
  const findMethods = findPaymentMethods({ processors });
  const findShownPrices = findPrices({ rpc });
  return async (visitor: Visitor, options: DescribeOptions): Promise<BillingDescription> => {
    const { invoicePage, processorDeadlineMs } = options;
    const findingBilling = findBilling(visitor, invoicePage);
    const [billing, brand, paymentMethods, prices] = await Promise.all([
      findingBilling,
      findProjectBrand(visitor),
      findMethods(visitor, processorDeadlineMs).catch((err: unknown) => {
        logger.warn({ err, ...visitor.scope }, 'page shown without the payment methods');
        return { kind: 'unknown' } as const;
      }),
      findingBilling.then(({ subscriptions }) =>
        findShownPrices(visitor, subscriptions).catch((err: unknown): Prices => {
          logger.warn({ err, ...visitor.scope }, 'page shown without the prices of plans');
          return new Map();
        }),
      ),
    ]);
    return { ...billing, brand, paymentMethods, prices };
  };
}
