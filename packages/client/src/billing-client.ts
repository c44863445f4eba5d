import { ProjectMethods } from './declared-methods.ts';
import { openEntitlements, type EntitlementOptions, type Entitlements } from './entitlements.ts';
import type { ClientOptions } from './options.ts';
import type { CustomerRef } from './own-methods.ts';
import { Requests, segment } from './requests.ts';
import { openTransport } from './transport.ts';

/**
 * A client of one project's billing API, for backends with an API key and for browsers that are signed in. Every method rejects with a `BillingError` when the call fails.
 *
 * @example
 * const billing = new BillingClient({ baseUrl, apiKey, teamId, projectId });
 * const customer = await billing.customers.create({ email: 'ada@example.com' });
 * const { url } = await billing.checkout.create({ customerId: customer.id, priceId, successUrl, cancelUrl });
 */
export class BillingClient extends ProjectMethods {
  readonly #entitlements: ReturnType<typeof openEntitlements>;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: ClientOptions) {
    const { teamId, projectId, timeoutMs } = options;
    const root = `/api/service/teams/${segment(teamId)}/projects/${segment(projectId)}`;
    const requests = new Requests(openTransport(options, root));
    super(requests);
    this.#entitlements = openEntitlements({ requests, timeoutMs });
  }

  /**
   * Returns what a customer may use: `(await billing.entitlements(customerId)).allows('sso')`. Keeps it for 30 seconds, then
   * confirms it by its tag; through an outage it counts until an entitlement's end, at most for 24 hours. After a checkout,
   * give its `checkoutSession`: then the state is read at once, and includes the outcome.
   * @throws BillingError for what the service refuses, such as `customer_not_found`; when it can't be reached, only with a
   *   `checkoutSession`
   */
  entitlements(customer: CustomerRef, options?: EntitlementOptions): Promise<Entitlements> {
    return this.#entitlements(customer, options);
  }
}
