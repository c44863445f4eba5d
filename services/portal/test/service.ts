import { randomBytes } from 'node:crypto';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { CustomerId, InvoiceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import {
  DescribeCustomerBilling,
  FindCustomer,
  FindProcessorCredentials,
  FindProject,
  ScheduleCancellation,
} from '@billing/contracts/rpc/calls';
import type { portalSession } from '@billing/contracts/resources/portal-session';
import { startLocalProcessor } from '@billing/local-processor/server';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { seal } from '@billing/processor/credentials';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { tokenKeyFrom } from '../src/domain/token.ts';
import type { CustomerBilling } from '../src/operations/describe-billing.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { reactToCustomers } from '../src/reactions/customers.ts';

export const PUBLIC_URL = 'https://billing.example.com';
const MONTH_MS = 30 * 86_400_000;

export type ShownSubscription = CustomerBilling['subscriptions'][number];
export type ShownInvoice = CustomerBilling['invoices'][number];

/** What the neighbouring services would answer; a test changes it as it needs. */
interface Neighbours {
  customer: { name: string | null; email: string } | null;
  projectName: string;
  subscriptions: ShownSubscription[];
  invoices: ShownInvoice[];
}

/**
 * The portal in this process: its own database and bus, a real processor's stand-in, and neighbours that answer by the
 * contracts of their questions.
 */
export async function startService() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const identity = testIdentity('portal');
  const testDatabase = resources.use(await createTestDatabase('portal'));
  const database = openDatabase(testDatabase.url);
  resources.defer(() => database.close());
  await migrate(database);

  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const rpc = openRpcClient(bus);

  const stripe = resources.adopt(await startLocalProcessor(), it => it.close());
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const processor = stripeProcessor(secretKey, stripe.url);
  const credentialsKey = randomBytes(32);

  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const customerId = CustomerId.create();
  const processorCustomer = await processor.createCustomer({ email: 'ada@example.com', metadata: {} }, customerId);
  const neighbours: Neighbours = {
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    projectName: 'Analytical Engines',
    subscriptions: [],
    invoices: [],
  };
  const asked: unknown[] = [];

  const answering = { ...bus, logger };
  const stops = {
    customers: serveRpc(answering, FindCustomer, async it => {
      const { customer } = neighbours;
      if (!customer || it.customerId !== customerId || it.projectId !== scope.projectId) return null;
      const { projectId } = scope;
      const state = { version: 1, createdAt: new Date(), deletedAt: null };
      return { ...customer, ...state, id: customerId, projectId, processorCustomerId: processorCustomer.id };
    }),
    project: serveRpc(answering, FindProject, async ({ teamId, projectId: id }) => ({
      id,
      teamId,
      name: neighbours.projectName,
      baseCurrency: 'eur',
      createdAt: new Date(),
    })),
    billing: serveRpc(answering, DescribeCustomerBilling, async ({ customerId: of, invoiceLimit, invoiceOffset }) => {
      if (of !== customerId) return { subscriptions: [], invoices: [], invoiceTotal: 0 };
      const invoices = neighbours.invoices.slice(invoiceOffset, invoiceOffset + invoiceLimit);
      return { subscriptions: neighbours.subscriptions, invoices, invoiceTotal: neighbours.invoices.length };
    }),
    cancellation: serveRpc(answering, ScheduleCancellation, async it => {
      asked.push(it);
      const found = neighbours.subscriptions.find(({ id }) => id === it.subscriptionId && it.customerId === customerId);
      if (!found) throw notFound('subscription');
      found.cancelAtPeriodEnd = it.cancelAtPeriodEnd;
      found.cancelAt = it.cancelAtPeriodEnd ? found.currentPeriodEnd : null;
      return found;
    }),
    credentials: serveRpc(answering, FindProcessorCredentials, async ({ teamId }) => ({
      version: 1,
      livemode: false,
      sealedSecretKey: seal(credentialsKey, { teamId, kind: 'secret-key' }, secretKey),
    })),
  };
  const silence = async (...names: (keyof typeof stops)[]) => {
    for (const name of names) {
      await stops[name]();
      stops[name] = async () => undefined;
    }
  };
  resources.defer(() => silence('customers', 'project', 'billing', 'cancellation', 'credentials'));
  await nats.flush();

  const processors = resources.adopt(openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl: stripe.url }), it =>
    it.close(),
  );
  const app = createApp({
    database,
    rpc,
    processors,
    publicUrl: PUBLIC_URL,
    tokenKey: tokenKeyFrom(credentialsKey),
    processorBaseUrl: stripe.url,
    logger,
    verifyIdentityToken: identity.verifyIdentityToken,
  });
  resources.adopt(app, it => it.close());

  const openPortal = (payload: object = {}, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/portal`,
      payload: { customerId, ...payload },
      headers: { ...identity.asKey(scope), ...headers },
    });

  return {
    app,
    database,
    bus,
    identity,
    scope,
    customerId,
    neighbours,
    /** What the subscriptions service was asked to do. */
    asked,
    stripe,
    secretKey,
    processor,
    processorCustomerId: processorCustomer.id,
    openPortal,
    /** A link that works. */
    portalLink: async (payload: object = {}) => {
      const response = await openPortal(payload);
      return response.json<z.input<typeof portalSession>>();
    },
    /** What whoever holds a link gets for a path below the page. */
    visit: (token: string, path = '', headers: Record<string, string> = {}) =>
      app.inject({ method: 'GET', url: `/portal/${token}${path}`, headers: { ...identity.anonymous(), ...headers } }),
    /** Presses a button of the page in a browser without script. */
    submit: (token: string, path: string) =>
      app.inject({
        method: 'POST',
        url: `/portal/${token}${path}`,
        headers: { ...identity.anonymous(), 'content-type': 'application/x-www-form-urlencoded' },
        payload: '',
      }),
    /** Hears what the customers service says, as the process does. */
    hearCustomers: async () => {
      const { receive } = reactToCustomers(database.em, logger);
      return bus.consume('portal-customers', 'customer.deleted.v1', receive);
    },
    customersReaction: () => reactToCustomers(database.em, logger),
    /** Takes neighbours away. */
    silence,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** A live monthly subscription of 29.99 usd. */
export function aSubscription(service: Service, changes: Partial<ShownSubscription> = {}): ShownSubscription {
  const now = Date.now();
  const state: SubscriptionState = {
    id: SubscriptionId.create(),
    projectId: service.scope.projectId,
    customerId: service.customerId,
    processorSubscriptionId: 'sub_1',
    processorCustomerId: service.processorCustomerId,
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    items: [
      {
        processorPriceId: 'price_1',
        priceId: null,
        unitAmount: 2999,
        currency: 'usd',
        interval: 'month',
        intervalCount: 1,
        quantity: 1,
        metered: false,
      },
    ],
    currentPeriodStart: new Date(now),
    currentPeriodEnd: new Date(now + MONTH_MS),
    trialEnd: null,
    startedAt: new Date(now),
    endedAt: null,
    version: 1,
    createdAt: new Date(now),
  };
  return { ...state, productName: 'Pro', cancelAt: null, ...changes };
}

/** A paid invoice of 29.99 usd. */
export function anInvoice(service: Service, changes: Partial<ShownInvoice> = {}): ShownInvoice {
  return {
    id: InvoiceId.create(),
    processorInvoiceId: 'in_1',
    customerId: service.customerId,
    subscriptionId: null,
    number: 'INV-0001',
    status: 'paid',
    amountDue: 2999,
    amountPaid: 2999,
    amountRemaining: 0,
    currency: 'usd',
    billingReason: 'subscription_create',
    hostedInvoiceUrl: null,
    invoicePdfUrl: 'https://pay.stripe.com/invoice/1/pdf',
    periodStart: null,
    periodEnd: null,
    dueDate: null,
    paidAt: new Date(),
    projectId: service.scope.projectId,
    createdAt: new Date('2026-11-20T12:00:00Z'),
    updatedAt: new Date(),
    ...changes,
  };
}
