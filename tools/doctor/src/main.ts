import { parseEnv } from '@billing/service/env';
import { httpsProxyEnv, useHttpsProxy } from '@billing/service/https-proxy';
import { parseArguments } from './arguments.ts';
import { examine } from './examine.ts';
import { findSystem } from './find-system.ts';
import { exitCodeOf, formatReport } from './format.ts';

/** Examines a running system and says what is wrong with it; docs/operations.md says how. It changes nothing. */
try {
  const { json, limits } = parseArguments(process.argv.slice(2));
  useHttpsProxy(parseEnv(httpsProxyEnv));
  const report = await examine(await findSystem(process.env), limits);
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : formatReport(report)}\n`);
  process.exitCode = exitCodeOf(report);
} catch (err) {
  process.stderr.write(`doctor: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 2;
}
