import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { BillingError } from '@billing/client';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

/** Options of `key=value`, as one object. */
const pairs = z
  .array(z.string().regex(/^[^=]+=/, 'Expected key=value.'))
  .default([])
  .transform(all => Object.fromEntries(all.map(pair => splitPair(pair))));

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** What every command takes: where the project is. */
export const PROJECT = {
  team: z.string('Give the id of the team.').pipe(TeamId.schema),
  project: z.string('Give the id of the project.').pipe(ProjectId.schema),
  apiKey: z.string('Set BILLING_API_KEY.').min(1, 'Set BILLING_API_KEY.'),
  url: z.url({ protocol: /^https?$/ }).default('http://localhost:8080'),
};

/** How that is written. */
export const PROJECT_OPTIONS = {
  team: { type: 'string' },
  project: { type: 'string' },
  url: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** What commands that read records take, too: what they work on, and how much is printed. */
export const COMMON = {
  ...PROJECT,
  apply: z.boolean().default(false),
  filter: pairs,
  limit: z.coerce.number().int().min(0).max(100_000).default(50),
};

/** How the common options are written. */
export const COMMON_OPTIONS = {
  ...PROJECT_OPTIONS,
  apply: { type: 'boolean' },
  filter: { type: 'string', multiple: true },
  limit: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

interface Command<Schema extends z.ZodType> {
  readonly given: Schema;
  readonly options: ParseArgsOptionsConfig;
  readonly usage: string;
  /** The names of what stands without one, in order. */
  readonly words?: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartError that says what is wrong, and how the command is used */
export function parseCommand<Schema extends z.ZodType>(
  { given, options, usage, words = [] }: Command<Schema>,
  args: readonly string[],
  env: Environment,
): z.output<Schema> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: words.length > 0 });
    if (positionals.length > words.length) throw new Error(`Unexpected argument '${positionals[words.length]}'.`);
    const named = Object.fromEntries(words.map((word, index) => [word, positionals[index]]));
    return given.parse({ ...values, ...named, apiKey: env['BILLING_API_KEY'] });
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const name = issue?.path.join('.') ?? '';
    const where = name === '' || name === 'apiKey' ? '' : words.includes(name) ? `${name}: ` : `--${name}: `;
    const reason = issue ? `${where}${issue.message}` : err instanceof Error ? err.message : String(err);
    throw new StartError(`${reason}\n\n${usage}`);
  }
}

/** Runs a command; what it throws is printed, and its exit code is 1. */
export async function runCommand(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    process.stderr.write(`${name}: ${describeError(err)}\n`);
    process.exitCode = 1;
  }
}

/** An error with what it says of the places it is about. */
function describeError(err: unknown): string {
  if (!(err instanceof Error)) return String(err);
  if (!(err instanceof BillingError)) return err.message;
  const places = err.fields.map(({ path, message }) => `\n  ${path}: ${message}`);
  const keys = err.details?.['keys'];
  const address =
    err.code === 'connection_failed' ? ' `--url` is its address, http://localhost:8080 unless given.' : '';
  return `${err.message}${address}${places.join('')}${Array.isArray(keys) ? ` (${keys.join(', ')})` : ''}`;
}
