import { spawn, execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { findFreePort } from '@billing/embedded-servers/free-port';

const ALERTS = join(import.meta.dirname, '../../deploy/grafana/alerts.yaml');

/** A Prometheus that scrapes a system and has its alert rules. */
export interface Prometheus extends AsyncDisposable {
  /**
   * Returns how many series a query gives now.
   * @throws Error when Prometheus rejects the query
   */
  count(query: string): Promise<number>;
  /** Returns the expressions of the rules that it has loaded, by the name of the alert. */
  rules(): Promise<ReadonlyMap<string, string>>;
}

/** Whether a Prometheus is installed. */
export const isPrometheusInstalled = (): Promise<boolean> =>
  promisify(execFile)('prometheus', ['--version']).then(
    () => true,
    () => false,
  );

/** Starts a Prometheus that scrapes each job's address every second. */
export async function startPrometheus(addresses: ReadonlyMap<string, string>): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'billing-prometheus-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  await cp(ALERTS, join(folder, 'alerts.yaml'));
  // JSON is YAML.
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [...addresses].map(([job, address]) => ({
      job_name: job,
      static_configs: [{ targets: [address] }],
    })),
  };
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const exited = new Promise(resolve => server.once('exit', resolve));

  const get = async (path: string) => {
    const { status, data, error } = await (await fetch(`${url}/api/v1/${path}`)).json();
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  };
  const prometheus: Prometheus = {
    count: async query => (await get(`query?query=${encodeURIComponent(query)}`)).result.length,
    rules: async () => {
      const { groups } = await get('rules');
      const rules: { name: string; query: string }[] = groups.flatMap((group: { rules: unknown }) => group.rules);
      return new Map(rules.map(({ name, query }) => [name, query]));
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
  await waitFor(async () => (await prometheus.count('up == 1')) === addresses.size, {
    what: 'Prometheus to scrape every service',
  });
  return prometheus;
}
