import { FindProject } from '@billing/contracts/rpc/calls';
import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import { projectState } from '@billing/testing/projects';
import { customersService } from '../src/service.ts';
import { checkUsage, leaseChecks } from '../src/usage/check-usage.ts';
import { sendQueue } from '../src/usage/send-usage.ts';
import { leaseQueues } from '../src/usage/usage-rows.ts';
import { identifierOf } from '../src/usage/usage.rules.ts';

const NEVER = new AbortController().signal;

/** Starts the service with a meter `calls` at the processor, and the time at hand. */
export async function startUsage() {
  const account = await startTestAccount();
  const time = { aheadMs: 0 };
  const now = () => new Date(Date.now() + time.aheadMs);
  const service = await startTestService(customersService(), { account, now });
  await service.serve(FindProject, async of => projectState(of, { automaticTax: false }));
  const { em, scope } = service;
  const createMeter = (event_name: string) =>
    account.dashboard.billing.meters.create({
      display_name: event_name,
      event_name,
      default_aggregation: { formula: 'sum' },
    });
  await createMeter('calls');
  const parts = { ...service, now };
  const send = sendQueue(parts);
  const check = checkUsage(parts);

  const call = (events: readonly object[], of = scope) => service.call('POST', '/usage', { body: { events }, of });
  const list = async (query = '', of = scope) =>
    (await service.call('GET', `/usage${query}`, { of })).body.usage as { id: string; status: string }[];
  return {
    ...account,
    ...service,
    time,
    createMeter,
    createCustomer: async (body: object = { email: 'ada@example.com' }, of = scope) =>
      (await service.call('POST', '/customers', { body, of })).body.customer,
    record: call,
    list,
    identifier: (id: string) => identifierOf(scope.projectId, id),
    /** Does what the loop does until nothing is due. */
    async drain() {
      for (;;) {
        const queues = await leaseQueues(em, 100);
        if (queues.length === 0) return;
        await Promise.all(queues.map(queue => send(queue, NEVER)));
      }
    },
    /** Ends leases and pauses. */
    makeDue: () => em.fork().execute('update usage_queues set due_at = clock_timestamp()'),
    /** Reads what was refused later. */
    async check() {
      await em.fork().execute('update usage_checks set due_at = clock_timestamp()');
      for (const team of await leaseChecks(em, 10)) await check(team);
    },
    /** What the processor has counted of a customer around now. */
    async counted(customer: { id: string }, meter = 'calls', of = scope) {
      const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
      const query = new URLSearchParams({ meter, start: from.toISOString(), end: to.toISOString() });
      const { body } = await service.call('GET', `/customers/${customer.id}/usage?${query.toString()}`, { of });
      return body.summaries[0].value as number;
    },
    /** The ids of the events that the processor has taken, in its order. */
    async taken(ids: readonly string[]) {
      const byIdentifier = new Map(ids.map(id => [identifierOf(scope.projectId, id), id]));
      const { objects } = await account.control.ledger();
      return objects.flatMap(({ object, idempotencyKey }) => {
        const id = object === 'meter_event' && byIdentifier.get(idempotencyKey?.split(':')[2] ?? '');
        return id || [];
      });
    },
  };
}

export type UsageService = Awaited<ReturnType<typeof startUsage>>;
