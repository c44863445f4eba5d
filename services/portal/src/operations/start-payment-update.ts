import { randomUUID } from 'node:crypto';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { unavailable } from '@billing/contracts/problem';
import type { PortalLanguage } from '@billing/contracts/resources/portal-session';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { portalSetupMetadata } from '@billing/processor/metadata';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { recordUnchanged } from '@billing/service/audit';
import { refusedEntryOf } from '@billing/service/audited-operation';
import type { Notice } from '#domain/portal-links.ts';
import { hostedPageLink } from '#domain/processor-link.ts';
import { processorReturn, returnIdOf } from '#domain/processor-return.ts';
import type { Visitor } from './admit-visitor.ts';
import { findCustomerBilling } from './find-customer-billing.ts';

export interface StartPaymentUpdateDependencies {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly publicUrl: string;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
}

/** The language of the page that the customer comes from. */
export interface PageLanguage {
  readonly language: PortalLanguage;
  /** Set when the reader chose it by the address. */
  readonly lang?: PortalLanguage | undefined;
}

export interface PaymentUpdate {
  /** The processor's page. */
  readonly url: string;
  /** A `Set-Cookie` value that lets the browser return to the portal. */
  readonly cookie: string;
}

/**
 * Opens a page at the processor, in a language, on which the customer saves a new payment method. From there the browser
 * that got the cookie returns to the portal. The same operation key leads to the same page, for a day; it works once.
 * @throws Problem 409 `processor_not_connected`; 502 or 503 when the processor refuses or does not respond
 */
export function startPaymentUpdate(dependencies: StartPaymentUpdateDependencies) {
  const { outbox, processors, publicUrl, processorBaseUrl } = dependencies;
  const findCurrency = findCustomerCurrency(dependencies);

  return async (
    visitor: Visitor,
    { language, lang }: PageLanguage,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<PaymentUpdate> => {
    const { scope, customerId, customer, token } = visitor;
    const [processor, currency] = await Promise.all([processors.of(scope.teamId), findCurrency(visitor)]);
    const { path, cookieFor } = processorReturn(publicUrl, returnIdOf(operationKey));
    const returnUrl = (query: { notice?: Notice }) => {
      const search = new URLSearchParams({ ...query, ...(lang && { lang }) }).toString();
      return new URL(search && `?${search}`, new URL(path, publicUrl)).href;
    };
    const target = { type: 'customer', id: customerId } as const;
    const creating = processor.createSetupSession(
      {
        customerId: customer.processorCustomerId,
        currency,
        successUrl: returnUrl({ notice: 'payment-method-saved' }),
        cancelUrl: returnUrl({}),
        locale: language,
        metadata: portalSetupMetadata(scope, customerId),
      },
      // Currency and language may change between two calls; the processor refuses a key that was used with others.
      idempotencyKey('portal-setup', operationKey, `${currency}-${language}`),
    );
    const { url } = await creating.catch(async (err: unknown) => {
      const entry = refusedEntryOf(err, { ...context, target }, context.requestId);
      if (entry) await outbox.transaction(async (_tx, publish) => publish(AuditRecorded, scope.teamId, entry));
      throw err;
    });
    const link = hostedPageLink(url, processorBaseUrl);
    if (link === null) throw unavailable('The payment processor returned no page to open.');
    // Nothing is stored here, and what the customer saves there comes back as an event.
    await recordUnchanged(outbox, scope.teamId, context, target);
    return { url: link, cookie: cookieFor(token) };
  };
}

/** Returns the currency of the customer's newest subscription, or else the project's base currency. */
function findCustomerCurrency({ rpc }: Pick<StartPaymentUpdateDependencies, 'rpc'>) {
  const findBilling = findCustomerBilling({ rpc });
  return async (visitor: Visitor): Promise<string> => {
    const { subscriptions } = await findBilling(visitor);
    const [newest] = subscriptions.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
    const currency = newest?.items[0]?.currency;
    if (currency !== undefined) return currency;
    const project = await rpc.call(FindProject, visitor.scope);
    return project?.baseCurrency ?? 'usd';
  };
}
