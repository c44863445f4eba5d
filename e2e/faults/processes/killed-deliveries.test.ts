import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type BillingEvent } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, type Tenant } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';

/** Customers that are created and changed while parts are killed. */
const CUSTOMERS = 30;

let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

/** Starts a receiver that can hold its responses back, so that requests are on their way when something dies. */
async function startHoldingReceiver() {
  const received: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  let [held, release] = [Promise.resolve(), (): void => undefined];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>; // each comes once
      received.push({ body: Buffer.concat(chunks).toString(), headers });
      void held.then(() => response.writeHead(204).end());
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, // it listens on a port
    received,
    hold: () => {
      held = new Promise(resolve => {
        release = resolve;
      });
    },
    release: () => release(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Does something again until it succeeds: while something is down, it is refused. */
const untilDone = <Result>(what: string, act: () => Promise<Result>) =>
  waitFor(() => act().catch(() => undefined), { what, intervalMs: 200, timeoutMs: 120_000 });

/** Creates customers and changes each of them. */
async function writeCustomers(tenant: Tenant): Promise<void> {
  for (let made = 0; made < CUSTOMERS; made += 1) {
    const id = await untilDone('a customer', () => newCustomer(tenant));
    await untilDone('its change', () => tenant.billing.customers.update(id, { name: `Grace ${made}` }));
  }
}

it('loses no event and repeats them only as they were when webhooks and PostgreSQL die while it delivers', async () => {
  const tenant = await system.newTenant();
  await using receiver = await startHoldingReceiver();
  const { secret } = await tenant.billing.webhookEndpoints.create({ url: receiver.url, eventTypes: ['customer.*'] });
  const writing = writeCustomers(tenant);
  for (const [part, signal] of [
    ['webhooks', 'SIGKILL'],
    ['postgres', 'SIGQUIT'],
    ['webhooks', 'SIGKILL'],
  ] as const) {
    receiver.hold();
    const before = receiver.received.length;
    await waitFor(() => receiver.received.length > before, { what: 'a request', timeoutMs: 120_000 });
    await system.killAndReplace(part, signal);
    receiver.release();
  }
  await writing;
  await system.untilReady();
  const expected = new Map<string, BillingEvent>();
  const idsReceived = () => new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
  await waitFor(
    async () => {
      for await (const event of tenant.billing.events.list({ types: ['customer.created', 'customer.updated'] }))
        expected.set(event.id, event);
      return expected.size >= 2 * CUSTOMERS && idsReceived().size >= expected.size;
    },
    { what: 'every event', intervalMs: 1_000, timeoutMs: 240_000 },
  );
  expect(idsReceived()).toEqual(new Set(expected.keys()));
  const sequences = new Map<string, number>();
  for (const { body, headers } of receiver.received) {
    expect(JSON.parse(body)).toEqual(expected.get(String(headers['webhook-id'])));
    const { object } = await verifyWebhook(body, headers, secret, { toleranceSeconds: 3_600 });
    // One that is repeated comes before those that follow it, or after them, but none is passed over.
    const last = sequences.get(object.id) ?? 0;
    expect(object.sequence).toBeLessThanOrEqual(last + 1);
    sequences.set(object.id, Math.max(last, object.sequence));
  }
});
