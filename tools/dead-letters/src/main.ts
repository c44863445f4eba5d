import { parseArguments } from './arguments.ts';
import { findDatabases } from './find-databases.ts';
import { runCommand } from './run-command.ts';

/** Lists, shows, retries or drops the events that services failed to handle for good; docs/operations.md says how. */
try {
  const args = parseArguments(process.argv.slice(2));
  process.stdout.write(`${await runCommand(args, await findDatabases(process.env, args.service))}\n`);
} catch (err) {
  process.stderr.write(`dead-letters: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
