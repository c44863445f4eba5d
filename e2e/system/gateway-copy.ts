import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { readPids } from './running-system.ts';

/** The program of the gateway. */
export const GATEWAY_MAIN = join(import.meta.dirname, '../../tools/bundle/dist/gateway.js');

/** The variables with which a service exports its traces to a collector within a moment, and no metrics. */
export const exportTracesTo = (collectorUrl: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_BSP_SCHEDULE_DELAY: '100',
  // A test may look for the span of any request.
  OTEL_TRACES_SAMPLER: 'always_on',
});

export interface GatewayCopy {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts one more copy of a running system's gateway, with other variables; `undefined` removes one.
 * @throws Error when it is not ready within a minute
 */
export async function startGatewayCopy(
  dataDir: string,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<GatewayCopy> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...(await gatewayEnvironment(dataDir)), ...changes, PORT: String(port), PUBLIC_URL: url };
  const gateway = spawn(process.execPath, [GATEWAY_MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    gateway.kill('SIGTERM');
    await waitFor(() => gateway.exitCode !== null || gateway.signalCode !== null, {
      what: 'the copy of the gateway to stop',
    });
  };
  try {
    await waitFor(async () => (await fetch(`${url}/health/ready`)).ok, {
      what: 'the copy of the gateway to be ready',
    });
  } catch (err) {
    await stop();
    throw err;
  }
  return { url, stop };
}

/** Reads the environment with which a running system's gateway was started. */
export async function gatewayEnvironment(dataDir: string): Promise<Record<string, string>> {
  const pid = (await readPids(dataDir)).parts['gateway']?.pid;
  const text = await readFile(`/proc/${pid}/environ`, 'utf8');
  const pairs = text.split('\0').filter(pair => pair !== '');
  return Object.fromEntries(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
