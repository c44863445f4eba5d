import { join } from 'node:path';
import type { LocalSystem } from './local-system.ts';
import type { Settings } from './settings.ts';
import type { DemoSummary } from './start-summary.ts';

/**
 * Runs the demo through the public API; a later start reuses its data. A failed demo is reported and returns undefined:
 * the system keeps running, so that its logs show the reason.
 */
export async function runStartDemo(
  system: Pick<LocalSystem, 'gatewayUrl' | 'processorUrl'>,
  { dataDir, publicUrl }: Pick<Settings, 'dataDir' | 'publicUrl'>,
  report: (line: string) => void,
): Promise<DemoSummary | undefined> {
  const { processorUrl } = system;
  if (processorUrl === undefined) {
    report('The demo is skipped: it pays at the local processor, but STRIPE_API_BASE_URL names another processor.');
    return undefined;
  }
  try {
    // Loaded here, so that a start with --no-demo does not load it.
    const { runDemo } = await import('@billing/demo/run-demo');
    const step = (line: string) => report(`demo: ${line}`);
    // Signed-in requests are accepted from the public address only.
    const gatewayUrl = publicUrl ?? system.gatewayUrl;
    return await runDemo({ gatewayUrl, processorUrl, stateFile: join(dataDir, 'demo.json'), report: step });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(`The demo did not finish: ${reason} The system keeps running; its logs are in ${join(dataDir, 'logs')}.`);
    return undefined;
  }
}
