import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionId, type PriceMigrationId } from '@billing/contracts/ids';
import type { MigrationFinding, PriceMigration } from '@billing/contracts/resources/price-migration';
import { newEvent } from '@billing/testing/events';
import { leaseMigrations, runMigration } from '../src/price-migrations/migrate-prices.ts';
import { objectOf, OWNED_TYPES, type Service } from './service.ts';
import { startProject } from './start-project.ts';

type Created = NonNullable<Parameters<Service['account']['dashboard']['subscriptions']['create']>[0]>;

interface Subscribed {
  readonly quantity?: number;
  /** Processor's ids of prices besides that of the migration. */
  readonly otherPrices?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  /** The test clock of the customer. */
  readonly clock?: string;
  /** More of the subscription, as the team's people may set it. */
  readonly more?: Partial<Created>;
}

/** Works on migrations that are due, as one copy of the service, until none is; `turnMs` is how long a turn of each lasts. */
export async function workOnMigrations(service: Service, turnMs?: number): Promise<void> {
  const run = runMigration({ ...service, requestsPerSecond: 10_000, ...(turnMs !== undefined && { turnMs }) });
  for (;;) {
    const leased = await leaseMigrations(service.em, 1);
    for (const work of leased) await run(work, new AbortController().signal);
    if (leased.length === 0) return;
  }
}

/** A project with two prices, whose subscriptions move from the first to the second. */
export async function startMigration(service: Service) {
  const project = await startProject(service);
  const { scope } = project;
  const { teamId, projectId } = scope;
  const { dashboard } = service.account;

  const createPrice = async (wanted: Parameters<Service['createPrice']>[0] = {}) => {
    const created = await service.createPrice(wanted, scope);
    await service.deliver(newEvent(ProductCreated, teamId, created.product));
    await service.deliver(newEvent(PriceCreated, teamId, created.price));
    return created.price;
  };
  const [from, to] = [await createPrice({ unitAmount: 1_200 }), await createPrice({ unitAmount: 1_500 })];

  const customers = new Set<unknown>();
  /** Delivers all events of the project's subscriptions so far. */
  const deliver = async () => {
    const events = await service.account.events(scope, ...OWNED_TYPES);
    for (const event of events) if (customers.has(objectOf(event)['customer'])) await service.deliver(event);
  };

  return {
    ...project,
    from,
    to,
    createPrice,
    deliver,
    /** Creates a subscription of a new customer with a card; returns both ids of it. */
    subscribe: async ({ quantity = 1, otherPrices = [], metadata = {}, clock, more = {} }: Subscribed = {}) => {
      const card = 'pm_card_visa';
      const payer = await dashboard.customers.create({
        payment_method: card,
        invoice_settings: { default_payment_method: card },
        ...(clock !== undefined && { test_clock: clock }),
      });
      customers.add(payer.id);
      const customer = await service.createCustomer(scope, payer.id);
      await service.deliver(newEvent(CustomerCreated, teamId, customer));
      const { id: processorId } = await dashboard.subscriptions.create({
        customer: payer.id,
        items: [{ price: from.processorPriceId, quantity }, ...otherPrices.map(price => ({ price }))],
        ...more,
        metadata: { teamId, projectId, customerId: customer.id, ...metadata },
      });
      await deliver();
      const { body } = await service.call('GET', `/subscriptions?customerId=${customer.id}`, { of: scope });
      return { id: SubscriptionId.schema.parse(body.subscriptions[0]?.id), processorId, customer };
    },
    create: (body: object = {}, headers: Record<string, string> = {}) => {
      const wanted = { fromPriceId: from.id, toPriceId: to.id, mode: 'apply', ...body };
      return service.call('POST', '/price-migrations', { of: scope, body: wanted, headers });
    },
    get: async (id: PriceMigrationId): Promise<PriceMigration> =>
      (await service.call('GET', `/price-migrations/${id}`, { of: scope })).body.priceMigration,
    cancel: (id: PriceMigrationId) => service.call('POST', `/price-migrations/${id}/cancel`, { of: scope }),
    findings: async (id: PriceMigrationId, query = ''): Promise<readonly MigrationFinding[]> =>
      (await service.call('GET', `/price-migrations/${id}/findings${query}`, { of: scope })).body.findings,
    /** Sets columns of a migration by SQL. */
    set: (id: PriceMigrationId, columns: string) =>
      service.em.fork().execute(`update price_migrations set ${columns} where id = ?`, [id]),
    getSubscription: async (id: SubscriptionId) =>
      (await service.call('GET', `/subscriptions/${id}`, { of: scope })).body.subscription,
  };
}

export type Migration = Awaited<ReturnType<typeof startMigration>>;
