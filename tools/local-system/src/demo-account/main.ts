import { join } from 'node:path';
import { LocalProcessorControl, type ObjectCounts } from '@billing/local-processor/control';
import { describeRunningSystem } from '../running-system.ts';
import { parseArguments } from './arguments.ts';

/** Fills an account of the local processor with a plausible past, and prints what it made. */
async function run(): Promise<void> {
  const { key, url = processorUrl(), ...past } = parseArguments(process.argv.slice(2));
  process.stderr.write(`Filling the account of ${key} at ${url} …\n`);
  const startedAt = performance.now();
  const { until, objects } = await new LocalProcessorControl(url, key).fillAccount(past);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  process.stdout.write(`${format(objects)}\n\n`);
  process.stdout.write(
    `Made in ${seconds} s; --seed ${past.seed} --until ${until} makes the same again, in another account.\n` +
      `Connect a team to it with the secret key ${key}.\n`,
  );
}

/** @throws StartError when no system runs on this machine */
function processorUrl(): string {
  const dataDir = process.env['BILLING_DATA_DIR'] || join(import.meta.dirname, '../../../../.data');
  const { processor } = describeRunningSystem(dataDir).urls;
  if (!processor) throw new Error(`The system in ${dataDir} uses another processor. Name a local one by --url.`);
  return processor;
}

/** Returns a block of lines for each type. */
const format = (objects: ObjectCounts): string =>
  Object.entries(objects)
    .map(([type, counts]) => {
      const lines = Object.entries(counts).map(([kind, count]) => `  ${kind.padEnd(28)}${String(count).padStart(8)}`);
      return [type, ...lines].join('\n');
    })
    .join('\n');

try {
  await run();
} catch (err) {
  process.stderr.write(`demo:account: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
