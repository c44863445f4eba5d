import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import { entitlementsOf, grantOf, paymentOf } from '#domain/customer-state.ts';
import { findCustomerRecords } from '#persistence/find-customer-records.ts';
import { toResource } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long what is past due goes on granting. */
const GRACE_DAYS = 7;

/**
 * Reads what a customer may use now.
 * @throws Problem 404
 */
export const readState =
  ({ now }: Pick<Dependencies, 'now'>) =>
  async (em: EntityManager, scope: ProjectScope, customerId: CustomerId): Promise<CustomerState> => {
    const { customer, subscriptions, records: found } = await findCustomerRecords(em, scope, customerId);
    const [asOf, records] = [now(), { ...found, graceDays: GRACE_DAYS }];
    return {
      customer: { id: customer.id, externalId: customer.externalId, email: customer.email },
      subscriptions: subscriptions.map(row => {
        const { grants, grantsUntil } = grantOf(row, records, asOf);
        return { ...toResource(row), grants, grantsUntil };
      }),
      entitlements: Object.fromEntries(entitlementsOf(records, asOf)),
      payment: paymentOf(records),
      asOf,
    };
  };
