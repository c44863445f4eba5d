import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { runForSystem, type CommandResult } from '../system/operator-command.ts';
import { exportTo, startOtlpCollector } from '../system/otlp-collector.ts';
import { startSystem } from '../system/start-system.ts';
import {
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  newTenant,
  payOnHostedPage,
  waitForActiveSubscription,
} from '../system/tenant.ts';

interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly error: string | null;
}

/** Follows "A payment does not show" of docs/operations.md: each step is one that stands there, in its order. */
it('leads from a payment that does not show to its effect', async () => {
  await using resources = new AsyncDisposableStack();
  const collector = resources.use(await startOtlpCollector());
  const system = resources.adopt(await startSystem(exportTo(collector)), started => started.stop());
  const { dataDir } = system;
  const tenant = await newTenant(system);
  const { teamId, user, teamPath, P, callProcessor, billing } = tenant;
  const run = async (program: string, ...args: string[]): Promise<CommandResult> =>
    runForSystem(dataDir, `tools/${program}/src/main.ts`, ...args);

  // The fault: no new subscription can be stored.
  const database = new Client({ connectionString: findServers(dataDir, 'subscriptions').databaseUrl });
  await database.connect();
  resources.defer(() => database.end());
  await database.query(
    `alter table subscriptions.subscriptions add constraint planted check (status = 'planted') not valid`,
  );

  const { priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  await payOnHostedPage((await newCheckout(tenant, customerId, priceId)).url);

  // 1. Stripe has the event, and no delivery of it is left.
  const [made] = (await callProcessor('/v1/events?type=customer.subscription.created')).data;
  const isDelivered = async () => (await callProcessor(`/v1/events/${made.id}`)).pending_webhooks === 0;
  await waitFor(isDelivered, { what: 'the event to be delivered' });

  // 2. It is here: not among those without a project, but in the project.
  const withoutProject = async () =>
    (await ok(user.get(`${teamPath}/webhook-events?projectId=none&type=${made.type}`))).webhookEvents;
  await expect.poll(withoutProject).toEqual([]);
  const eventHere = async (): Promise<WebhookEvent | undefined> =>
    (await ok(user.get(`${P}/webhook-events?limit=100`))).webhookEvents.find(({ id }: WebhookEvent) => id === made.id);
  expect(await eventHere()).toMatchObject({ status: 'received', error: null });
  expect((await billing.subscriptions.list({ customerId, activeOnly: false }).page()).items).toEqual([]);

  // 3. While its handler is tried again, the log says why; after eight attempts the event has failed.
  const logged = async () =>
    (await readFile(join(dataDir, 'logs', 'subscriptions.log'), 'utf8'))
      .split('\n')
      .slice(0, -1) // what stands after the last line end is still being written
      .filter(line => line.includes('event handler failed, will try again'))
      .map(line => JSON.parse(line));
  const isAttempt = (line: { type: string }) => line.type === 'processor.customer.subscription.created.v1';
  const attempt = await waitFor(async () => (await logged()).find(isAttempt), {
    what: 'an attempt that failed',
  });
  expect(attempt).toMatchObject({ teamId });
  const hasFailed = async () => (await eventHere())?.status === 'failed';
  await waitFor(hasFailed, { what: 'the event to fail' });
  expect((await eventHere())?.error).toBeTruthy();

  const list = await run('dead-letters', 'list', '--team', teamId);
  expect(list.exitCode).toBe(0);
  expect(list.output).toContain('violates check constraint "planted"');
  const [, letterId = ''] = /^(dl_\w+)[^\n]+customer\.subscription\.created/m.exec(list.output) ?? [];
  const examined = await run('doctor');
  expect(examined.exitCode).toBe(1);
  expect(examined.output).toMatch(/subscriptions has \d dead letters?/);
  expect(examined.output).toContain('npm run dead-letters -- list --service subscriptions');

  // 4. The letter has the error and the event; the log leads to the trace.
  const shown = await run('dead-letters', 'show', '--id', letterId);
  expect(shown.output).toContain('violates check constraint "planted"');
  expect(shown.output).toContain(`"eventId": "${made.id}"`);
  const [failure] = (await logged()).filter(({ eventId }) => shown.output.includes(eventId));
  const spans = () => collector.spans().filter(({ traceId }) => traceId === failure.trace_id);
  const servicesOf = () => [...new Set(spans().map(({ service }) => service))].toSorted();
  await expect.poll(servicesOf).toEqual(expect.arrayContaining(['subscriptions', 'webhooks']));

  // 5. With the cause mended a retry has the effect.
  await database.query('alter table subscriptions.subscriptions drop constraint planted');
  const retried = await run('dead-letters', 'retry', '--team', teamId);
  expect(retried).toMatchObject({ exitCode: 0 });
  await waitForActiveSubscription(tenant, customerId);
  const isProcessed = async () => (await eventHere())?.status === 'processed';
  await waitFor(isProcessed, { what: 'the event to be processed' });
  expect((await run('dead-letters', 'list', '--team', teamId)).output).toBe('no dead letters\n');
  expect((await run('doctor')).output).toBe('nothing is wrong\n');
});
