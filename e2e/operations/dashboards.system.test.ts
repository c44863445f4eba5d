import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICES } from '@billing/contracts/operation';
import { startReceiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSystem } from '../system/start-system.ts';
import { newCustomer, newTenant } from '../system/tenant.ts';
import { isPrometheusInstalled, startPrometheus, type Prometheus } from './prometheus.ts';

const DASHBOARDS = join(import.meta.dirname, '../../deploy/grafana/dashboards');

/** What stands in a query and is no metric: functions, aggregations, labels in `by (…)`, texts, durations. */
const NO_METRIC =
  /"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without)\s*\([^)]*\)|\b\w+(?=\s*\()|\b(?:and|or|unless|sum|max)\b/g;
/** Returns the metrics that a query names. */
const metricsIn = (query: string): string[] => query.replaceAll(NO_METRIC, ' ').match(/\b[a-z]\w*/g) ?? [];

interface Query {
  readonly where: string;
  readonly expr: string;
}

async function panelQueries(): Promise<Query[]> {
  const files = await readdir(DASHBOARDS);
  const pages = await Promise.all(files.map(async file => JSON.parse(await readFile(join(DASHBOARDS, file), 'utf8'))));
  return pages.flatMap(({ title, panels }) =>
    panels.flatMap((panel: { title: string; targets: readonly { expr: string }[] }) =>
      panel.targets.map(({ expr }) => ({ where: `${title} / ${panel.title}`, expr })),
    ),
  );
}

const isInstalled = await isPrometheusInstalled();
if (!isInstalled) console.warn('Prometheus is not installed: the dashboards and alerts are not checked.');

describe.skipIf(!isInstalled)('dashboards and alerts', () => {
  const open = new AsyncDisposableStack();
  let prometheus: Prometheus;
  let queries: Query[];
  beforeAll(async () => {
    const variables = { OTEL_METRICS_EXPORTER: 'prometheus' };
    const system = open.adopt(await startSystem(variables, { demo: true }), started => started.stop());
    const { url, received } = open.use(await startReceiver());
    const tenant = await newTenant(system);
    await tenant.billing.webhookEndpoints.create({ url });
    await newCustomer(tenant);
    await waitFor(() => received.length > 0, { what: 'an event at the endpoint' });
    const ports = JSON.parse(await readFile(join(system.dataDir, 'ports.json'), 'utf8'));
    prometheus = open.use(
      await startPrometheus(new Map(SERVICES.map(service => [service, `127.0.0.1:${ports[`${service}-metrics`]}`]))),
    );
    const rules = await prometheus.rules();
    queries = [...(await panelQueries()), ...[...rules].map(([alert, expr]) => ({ where: `alert ${alert}`, expr }))];
  });
  afterAll(() => open.disposeAsync());

  it('send queries that Prometheus understands', async () => {
    expect(queries.length).toBeGreaterThan(40);
    for (const { where, expr } of queries) expect(await prometheus.count(expr), where).toBeGreaterThanOrEqual(0);
  });

  it('name metrics that the system exports', async () => {
    const exported = new Map<string, number>();
    for (const name of new Set(queries.flatMap(({ expr }) => metricsIn(expr))))
      exported.set(name, await prometheus.count(name));
    expect(exported.size).toBeGreaterThan(20);
    expect([...exported].filter(([, series]) => series === 0).map(([name]) => name)).toEqual([]);
  });

  it('show something after one checkout and one delivery, wherever they do not show failures', async () => {
    const emptyPanels = async () => {
      const empty: string[] = [];
      for (const { where, expr } of queries)
        if (where.startsWith('Billing: Is money') && (await prometheus.count(expr)) === 0) empty.push(expr);
      return empty.filter(expr => !expr.includes('outcome="failed"'));
    };
    // A rate needs two scrapes.
    await expect.poll(emptyPanels, { interval: 500 }).toEqual([]);
  });

  it('alert nobody about a healthy system', async () => {
    const alerts = queries.filter(({ where }) => where.startsWith('alert '));
    expect(alerts.length).toBeGreaterThan(10);
    const firing: string[] = [];
    for (const { where, expr } of alerts) if ((await prometheus.count(expr)) > 0) firing.push(where);
    expect(firing).toEqual([]);
  });
});
