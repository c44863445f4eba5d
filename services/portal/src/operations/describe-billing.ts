import { DescribeCustomerBilling, FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { findPaymentMethod, type PaymentMethodFound } from './find-payment-method.ts';
import type { Visitor } from './admit.ts';
import type { TeamProcessors } from '@billing/processor/team-processors';

/** How many invoices stand on one page. */
export const INVOICES_PER_PAGE = 12;

export type CustomerBilling = z.output<typeof DescribeCustomerBilling.reply>;

/** All that the page shows. */
export interface BillingDescription extends CustomerBilling {
  /** Null while nobody can tell. */
  readonly projectName: string | null;
  readonly paymentMethod: PaymentMethodFound;
}

interface DescribeOptions {
  /** From 1. */
  readonly invoicePage: number;
  /** How long the processor may take before the page goes without it, in milliseconds. */
  readonly processorDeadlineMs: number;
}

interface DescribeDependencies {
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** Subscriptions and invoices of one customer, as the subscriptions service keeps them. */
export function customerBilling(rpc: RpcClient, { scope, customerId }: Visitor, invoicePage = 1) {
  const invoiceOffset = (invoicePage - 1) * INVOICES_PER_PAGE;
  return rpc.call(DescribeCustomerBilling, { ...scope, customerId, invoiceLimit: INVOICES_PER_PAGE, invoiceOffset });
}

/**
 * What a customer's page shows. The payment method stands only at the processor: when that is down or slow, the rest
 * is told without it.
 * @throws Problem 503 when the subscriptions service does not answer
 */
export function describeBilling({ rpc, processors, logger }: DescribeDependencies) {
  return async (visitor: Visitor, options: DescribeOptions): Promise<BillingDescription> => {
    const { invoicePage, processorDeadlineMs } = options;
    const [billing, projectName, paymentMethod] = await Promise.all([
      customerBilling(rpc, visitor, invoicePage),
      rpc.call(FindProject, visitor.scope).then(
        project => project?.name ?? null,
        () => null,
      ),
      findPaymentMethod(processors, visitor, processorDeadlineMs).catch((err: unknown) => {
        logger.warn({ err, ...visitor.scope }, 'payment method not found out, the page goes without it');
        return { kind: 'unknown' } as const;
      }),
    ]);
    return { ...billing, projectName, paymentMethod };
  };
}
