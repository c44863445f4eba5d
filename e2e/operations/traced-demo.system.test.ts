import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWindow } from '../system/browser.ts';
import { exportTo, startOtlpCollector, type OtlpCollector } from '../system/otlp-collector.ts';
import { startSystem, type StartedSystem } from '../system/start-system.ts';
import { drawTree, labelOf, traceTrees, type TraceTree } from '../system/trace-tree.ts';

const CHECKOUT = 'gateway: POST /api/service/teams/:teamId/projects/:projectId/checkout';
/** From the event that shows the subscription first, which may be either, to its publication. */
const CREATED = ['checkout.session.completed', 'customer.subscription.created'].map(type => [
  `webhooks: receive ${type}`,
  `webhooks: publish processor.${type}.v1`,
  `subscriptions: process processor.${type}.v1`,
  'subscriptions: publish record.subscription.created.v1',
]);
/** What one checkout leads to: each line is a way down in the one tree. */
const WAYS = [
  [
    CHECKOUT,
    'subscriptions: POST /api/service/teams/:teamId/projects/:projectId/checkout',
    'subscriptions: POST /v1/checkout/sessions',
  ],
  [CHECKOUT, 'subscriptions: customers.find-customer.v1', 'customers: customers.find-customer.v1'],
  [
    CHECKOUT,
    'webhooks: receive checkout.session.completed',
    'webhooks: publish processor.checkout.session.completed.v1',
    'subscriptions: process processor.checkout.session.completed.v1',
  ],
  [
    CHECKOUT,
    'subscriptions: process processor.customer.subscription.created.v1',
    'subscriptions: publish processor-event.completed.v1',
    'webhooks: process processor-event.completed.v1',
  ],
];

/** What the new subscription leads to. */
const CONSEQUENCES = [
  ['analytics: process record.subscription.created.v1'],
  [
    'referrals: process record.subscription.created.v1',
    'referrals: publish record.referral.converted.v1',
    'analytics: process record.referral.converted.v1',
  ],
];

let collector: OtlpCollector;
let system: StartedSystem;
let checkout: TraceTree;
const secrets: string[] = [];

const open = new AsyncDisposableStack();
beforeAll(async () => {
  collector = open.use(await startOtlpCollector());
  system = open.adopt(await startSystem(exportTo(collector), { demo: true }), started => started.stop());
  const demo = JSON.parse(await readFile(join(system.dataDir, 'demo.json'), 'utf8'));
  const [, portalToken = ''] = /\/portal\/([\w-]{43})/.exec(system.output()) ?? [];
  const { credentialsKey, authSecret } = JSON.parse(await readFile(join(system.dataDir, 'secrets.json'), 'utf8'));
  secrets.push(demo.apiKey, demo.processorKey, demo.user.email, demo.user.password, portalToken, credentialsKey);
  secrets.push(authSecret);
  // A span is exported when it ends, so after those below it.
  const hasAll = (tree: TraceTree, ways: readonly (readonly string[])[]) => ways.every(way => tree.path(...way));
  const isWhole = (tree: TraceTree) =>
    hasAll(tree, WAYS) &&
    CREATED.some(created =>
      hasAll(
        tree,
        CONSEQUENCES.map(way => [CHECKOUT, ...created, ...way]),
      ),
    ) &&
    rootsOf(tree).length === 1;
  const findCheckout = () => traceTrees(collector.spans()).find(isWhole);
  try {
    checkout = await waitFor(findCheckout, { what: 'the trace of a whole checkout' });
  } catch (err) {
    const drawn = traceTrees(collector.spans()).filter(tree => tree.path(CHECKOUT));
    throw new Error(drawn.map(tree => drawTree(tree)).join('\n\n'), { cause: err });
  }
});
afterAll(() => open.disposeAsync());

const rootsOf = (tree: TraceTree) => tree.spans.filter(span => !tree.parentOf(span));

describe('the demo', () => {
  it('ends with revenue, and what was bought may be used', () => {
    expect(system.output()).toContain('MRR            $29.99');
    expect(system.output()).toContain('Ada may use    seats: 5');
    expect(system.output()).toMatch(/Her upgrade    \$\d+\.\d\d today, \$49\.99 from \w+ \d+, seats: 5 to 20$/m);
  });

  it.skipIf(isWithoutBrowser())('signs the person at the machine in with the printed link, once', async () => {
    const [, link = ''] = /^ +Console +(\S+)/m.exec(system.output()) ?? [];
    expect(link).toContain(`${system.gatewayUrl}/sign-in#`);
    await using first = await openWindow();
    const page = await first.newPage();
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Demo project' }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.getByRole('link', { name: /^MRR \$/ }).waitFor();
    await page.getByText('Developers', { exact: true }).click();
    await page.getByRole('link', { name: 'Connection' }).click();
    await page.getByText('Works', { exact: true }).waitFor();

    await using second = await openWindow();
    const other = await second.newPage();
    await other.goto(link);
    await other.getByText('This link was used already').waitFor();
    await other.getByRole('heading', { level: 1, name: 'This link does not sign you in' }).waitFor();
  });

  it('exports no secret and no address, and logs none', async () => {
    expect(secrets.filter(secret => typeof secret !== 'string' || secret.length < 16)).toEqual([]);
    const logs = await Promise.all(
      (await readdir(join(system.dataDir, 'logs'))).map(file => readFile(join(system.dataDir, 'logs', file), 'utf8')),
    );
    const exported = [...logs, ...[...collector.spans(), ...collector.metrics()].map(({ text }) => text)];
    expect(secrets.filter(secret => exported.some(text => text.includes(secret)))).toEqual([]);
    expect(exported.filter(text => /@example\.com/.test(text))).toEqual([]);
  });
});

describe('the trace of a checkout', () => {
  it('is one tree from the request to the last consumer', () => {
    expect(rootsOf(checkout).map(labelOf)).toEqual([CHECKOUT]);
  });

  it('is linked to the traces of the webhooks that continue it', () => {
    const received = checkout.spans.filter(({ name }) => name.startsWith('receive '));
    expect(received.map(({ name }) => name).toSorted()).toEqual([
      'receive checkout.session.completed',
      'receive customer.subscription.created',
    ]);
    for (const { links } of received) {
      const [link] = links;
      const webhook = collector.spans().find(({ traceId, parentSpanId }) => traceId === link?.traceId && !parentSpanId);
      expect(webhook && labelOf(webhook)).toBe('gateway: POST /api/webhooks/processor/:teamId');
    }
  });

  it('has a span for each message where it is published, and below it one for each consumer that processes it', () => {
    const processed = checkout.spans.filter(({ name, kind }) => kind === 'consumer' && /^process [^b]/.test(name));
    expect(processed.length).toBeGreaterThan(5);
    for (const span of processed) {
      const published = checkout.parentOf(span);
      const { name, kind, attributes } = span;
      expect({
        name: published?.name,
        kind: published?.kind,
        id: published?.attributes['messaging.message.id'],
      }).toEqual({
        name: name.replace('process', 'publish'),
        kind: 'producer',
        id: attributes['messaging.message.id'],
      });
      expect({ kind, ...attributes }).toMatchObject({
        kind: 'consumer',
        'messaging.system': 'nats',
        'messaging.operation.type': 'process',
        'messaging.destination.name': name.replace('process ', ''),
        'messaging.consumer.group.name': expect.stringMatching(/^[a-z-]+$/),
        'billing.team.id': expect.stringMatching(/^team_/),
      });
    }
  });

  it.each(['gateway', 'subscriptions'])('is named by the line that %s logs for the request', async service => {
    const lines = (await readFile(join(system.dataDir, 'logs', `${service}.log`), 'utf8')).split('\n').filter(Boolean);
    const [root] = rootsOf(checkout);
    const own = lines.map(line => JSON.parse(line)).filter(({ trace_id: traceId }) => traceId === root?.traceId);
    expect(own).toContainEqual(
      expect.objectContaining({ msg: 'request completed', method: 'POST', path: expect.stringMatching(/\/checkout$/) }),
    );
  });

  it('has each batch below its only message, or linked to each of several', async () => {
    const batches = () => collector.spans().filter(({ name }) => name.startsWith('process batch of '));
    expect(batches().length).toBeGreaterThan(8);
    const wrong = () => {
      const ids = new Set(collector.spans().map(({ spanId }) => spanId));
      return batches().filter(({ parentSpanId, links, attributes }) => {
        const size = Number(attributes['messaging.batch.message_count']);
        return size === 1 ? links.length > 0 || !ids.has(parentSpanId) : links.length !== size || parentSpanId !== '';
      });
    };
    await expect.poll(wrong).toEqual([]);
  });
});

it('exports the metrics of webhooks, consumers, the outbox and the processor', async () => {
  const names = [
    'http.server.request.duration',
    'billing.webhook.signature.age',
    'billing.webhook.applied.age',
    'billing.webhook.events',
    'billing.processor.call.duration',
    'billing.outbox.events',
    'billing.outbox.age',
    'billing.consumer.lag',
    'nodejs.eventloop.delay.p99',
  ];
  const missing = () => names.filter(name => collector.metrics().every(metric => metric.name !== name));
  await expect.poll(missing).toEqual([]);
});
