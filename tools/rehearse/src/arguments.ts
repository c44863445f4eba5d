import { parseCommand, PROJECT, PROJECT_OPTIONS, type Environment } from '@billing/sync/command-line';
import { z } from 'zod';

const usage = `Usage: BILLING_API_KEY=bil_… npm run rehearse -- FILE --team team_… --project proj_… [options]

  Plays a rehearsal on a test clock of the payment processor, and prints its timeline; exit code 1 when an \`expect\` fails. The
  account has to be in test mode. The key needs the scopes customers:…, products:… and subscriptions:…, read and write,
  entitlements:read and webhooks:read.

  --junit FILE      writes the outcome of each \`expect\` as JUnit XML, too
  --picture FILE    draws the timeline as SVG, too
  --keep            leaves the clock with its customers, and prints its id; otherwise they are deleted at the end
  --url <address>   of the gateway; http://localhost:8080 unless given`;

const given = z.object({
  ...PROJECT,
  file: z.string('Expected the path of a rehearsal.'),
  junit: z.string().optional(),
  picture: z.string().optional(),
  keep: z.boolean().default(false),
});

const options = {
  ...PROJECT_OPTIONS,
  junit: { type: 'string' },
  picture: { type: 'string' },
  keep: { type: 'boolean' },
} as const;

/** @throws StartError that says what is wrong, and how the command is used */
export const parseArguments = (args: readonly string[], env: Environment): z.output<typeof given> =>
  parseCommand({ given, options, usage, words: ['file'] }, args, env);
