import { join } from 'node:path';
import type { LocalSystem } from './local-system.ts';
import type { DemoFacts } from './screen.ts';
import type { Settings } from './settings.ts';

/**
 * Does the main job once through the public API; a later start finds its data again. The system stays up when the
 * demo fails, so that one can see why.
 */
export async function runFirstDemo(
  system: Pick<LocalSystem, 'gatewayUrl' | 'processorUrl'>,
  { dataDir, publicUrl }: Pick<Settings, 'dataDir' | 'publicUrl'>,
  report: (line: string) => void,
): Promise<DemoFacts | undefined> {
  const { processorUrl } = system;
  if (processorUrl === undefined) {
    report('The demo is left out: it pays at the local processor, and STRIPE_API_BASE_URL names another one.');
    return undefined;
  }
  try {
    // Loaded here, because a start with --no-demo has no use for it.
    const { runDemo } = await import('@billing/demo/run-demo');
    const step = (line: string) => report(`demo: ${line}`);
    // Signed-in requests are accepted from the public address only.
    const gatewayUrl = publicUrl ?? system.gatewayUrl;
    return await runDemo({ gatewayUrl, processorUrl, stateFile: join(dataDir, 'demo.json'), report: step });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(`The demo did not finish: ${reason} The system runs on; its logs are in ${join(dataDir, 'logs')}.`);
    return undefined;
  }
}
