import { randomUUID } from 'node:crypto';
import { unavailable } from '@billing/contracts/problem';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Notice } from '#domain/links.ts';
import { openedPage } from '#domain/processor-link.ts';
import { createReturnId, wayBack } from '#domain/way-back.ts';
import type { Visitor } from './admit.ts';
import { customerBilling } from './describe-billing.ts';

interface StartPaymentUpdateDependencies {
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly publicUrl: string;
  /** Where the processor is, when it is not the real Stripe. */
  readonly processorBaseUrl: string | undefined;
}

/** A page of the processor, and what lets the customer's browser come back from it. */
export interface PaymentUpdate {
  readonly url: string;
  /** A `Set-Cookie` for the browser that goes there. */
  readonly cookie: string;
}

/**
 * Opens a page at the processor on which the customer saves a new payment method; from there the way leads back to the
 * portal, for the browser that keeps the cookie.
 * @throws Problem 409 `processor_not_connected`; 502 or 503 when the processor refuses or does not answer
 */
export function startPaymentUpdate(dependencies: StartPaymentUpdateDependencies) {
  const { rpc, processors, publicUrl, processorBaseUrl } = dependencies;
  return async (visitor: Visitor): Promise<PaymentUpdate> => {
    const { scope, customerId, customer, token } = visitor;
    const [processor, currency] = await Promise.all([processors.of(scope.teamId), currencyOf(rpc, visitor)]);
    const back = wayBack(publicUrl, createReturnId());
    const backUrl = new URL(back.path, publicUrl).href;
    const saved: Notice = 'payment-method-saved';
    const { url } = await processor.createSetupSession(
      {
        customerId: customer.processorCustomerId,
        currency,
        successUrl: `${backUrl}?notice=${saved}`,
        cancelUrl: backUrl,
        metadata: { ...scope, customerId },
      },
      // Every press of the button is an operation of its own: a page that was used up can't be shown again.
      idempotencyKey('portal-setup', randomUUID()),
    );
    const page = openedPage(url, processorBaseUrl);
    if (page === null) throw unavailable('The payment processor gave no page to go to.');
    return { url: page, cookie: back.cookieFor(token) };
  };
}

/** The customer's newest subscription decides, else the project's base currency. */
async function currencyOf(rpc: RpcClient, visitor: Visitor): Promise<string> {
  const { subscriptions } = await customerBilling(rpc, visitor);
  const [newest] = subscriptions.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  const currency = newest?.items[0]?.currency;
  if (currency !== undefined) return currency;
  const project = await rpc.call(FindProject, visitor.scope);
  return project?.baseCurrency ?? 'usd';
}
