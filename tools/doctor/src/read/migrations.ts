import type { ServiceName } from '@billing/contracts/operation';
import type { ServiceSchema } from '@billing/service/definition';
import { wholeSchema } from '@billing/service/service-database';
import { analyticsSchema } from '../../../../services/analytics/src/persistence/schema.ts';
import { catalogSchema } from '../../../../services/catalog/src/persistence/schema.ts';
import { customersSchema } from '../../../../services/customers/src/persistence/schema.ts';
import { gatewaySchema } from '../../../../services/gateway/src/persistence/schema.ts';
import { portalSchema } from '../../../../services/portal/src/persistence/schema.ts';
import { referralsSchema } from '../../../../services/referrals/src/persistence/schema.ts';
import { subscriptionsSchema } from '../../../../services/subscriptions/src/schema.ts';
import { webhooksSchema } from '../../../../services/webhooks/src/schema.ts';
import type { ServiceMigrations } from '../checks/migrations.ts';
import type { ReadOnlyDatabase } from './database.ts';

const SCHEMAS: Readonly<Record<ServiceName, ServiceSchema>> = {
  analytics: analyticsSchema,
  catalog: catalogSchema,
  customers: customersSchema,
  gateway: gatewaySchema,
  portal: portalSchema,
  referrals: referralsSchema,
  subscriptions: subscriptionsSchema,
  webhooks: webhooksSchema,
};

/** Reads which migrations a service's schema has, beside those that this version declares. */
export async function readMigrations({ service, query }: ReadOnlyDatabase): Promise<ServiceMigrations> {
  const run = await query<{ name: string }>('select name from migrations');
  const declared = wholeSchema(SCHEMAS[service]).migrations.map(({ name }) => name);
  return { service, declared, run: run.map(({ name }) => name) };
}
