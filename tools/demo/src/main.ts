import { join } from 'node:path';
import { z } from 'zod';
import { runDemo } from './run-demo.ts';

const env = z.object({
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://localhost:8080'),
  PROCESSOR_URL: z.url({ protocol: /^https?$/ }).default('http://localhost:12111'),
  DEMO_STATE_FILE: z.string().default(join(import.meta.dirname, '../../../.data/demo.json')),
});

const settings = env.safeParse(process.env);
if (settings.success) {
  const { GATEWAY_URL: gatewayUrl, PROCESSOR_URL: processorUrl, DEMO_STATE_FILE: stateFile } = settings.data;
  const report = (step: string) => process.stderr.write(`${step}\n`);
  try {
    const result = await runDemo({ gatewayUrl, processorUrl, stateFile, report });
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  } catch (err) {
    process.stderr.write(`The demo did not finish: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exitCode = 1;
  }
} else {
  process.stderr.write(`Environment: ${z.prettifyError(settings.error)}\n`);
  process.exitCode = 1;
}
