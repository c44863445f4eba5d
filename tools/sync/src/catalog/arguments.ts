import { SyncId } from '@billing/contracts/ids';
import { z } from 'zod';
import { parseCommand, PROJECT, PROJECT_OPTIONS, type Environment } from '../command-line.ts';

const usage = `Usage: BILLING_API_KEY=bil_… npm run catalog -- pull|plan|apply FILE --team team_… --project proj_… [options]

  Keeps what a project sells as a document in a repository. The key needs the scopes products:read and products:write; for a
  document with a portal also subscriptions:write.

  pull                    writes the document of the project to FILE
    --adopt               adds what has no key yet, with a key made of its name
  plan                    makes a report, and prints what an apply would change; exit code 2 when there is something
  apply                   applies what a report has found, and nothing else
    --report sync_…       this report; without it one is made, and printed, first
  --prune                 archives what has a key and is not in FILE
  --adopt                 gives its key to what is the same, and has none
  --url <address>         of the gateway; http://localhost:8080 unless given`;

const given = z.object({
  ...PROJECT,
  command: z.enum(['pull', 'plan', 'apply'], 'Expected pull, plan or apply.'),
  file: z.string('Expected the path of the document.'),
  report: SyncId.schema.optional(),
  prune: z.boolean().default(false),
  adopt: z.boolean().default(false),
});
export type CatalogArguments = z.output<typeof given>;

const options = {
  ...PROJECT_OPTIONS,
  report: { type: 'string' },
  prune: { type: 'boolean' },
  adopt: { type: 'boolean' },
} as const;

/** @throws StartError that says what is wrong, and how the command is used */
export const parseCatalogArguments = (args: readonly string[], env: Environment): CatalogArguments =>
  parseCommand({ given, options, usage, words: ['command', 'file'] }, args, env);
