import { join } from 'node:path';
import { fillAccount } from '@billing/local-processor/past';
import { describeRunningSystem } from '../running-system.ts';
import { parseArguments } from './arguments.ts';

/** Fills an account of the local processor with a plausible past. */
async function run(): Promise<void> {
  const { key, url = processorUrl(), customers } = parseArguments(process.argv.slice(2));
  process.stderr.write(`Filling the account of ${key} at ${url} …\n`);
  const startedAt = performance.now();
  await fillAccount(url, key, customers);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(
    `Made ${customers} customers and their past in ${seconds} s. Connect a team to it with the secret key ${key}.\n`,
  );
}

/** @throws StartError when no system runs on this machine */
function processorUrl(): string {
  const dataDir = process.env['BILLING_DATA_DIR'] || join(import.meta.dirname, '../../../../.data');
  const { processor } = describeRunningSystem(dataDir).urls;
  if (!processor) throw new Error(`The system in ${dataDir} uses another processor. Name a local one by --url.`);
  return processor;
}

try {
  await run();
} catch (err) {
  process.stderr.write(`demo:account: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
