import { waitFor } from '@billing/testing/wait-for';
import { newMonthlyPrice, type Tenant } from './tenant.ts';

/** Reports what would move to a price from one that nobody has, and returns the id of the migration when that is done. */
export async function newPriceMigration(tenant: Tenant, toPriceId: string): Promise<string> {
  const { priceMigrations } = tenant.billing;
  const { priceId: fromPriceId } = await newMonthlyPrice(tenant);
  const create = () => priceMigrations.create({ fromPriceId, toPriceId, mode: 'report' });
  const { id } = await waitFor(create, { what: 'the migrations before it to end' });
  await waitFor(async () => (await priceMigrations.get(id)).status === 'completed', { what: 'the report' });
  return id;
}
