import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
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

/** What every command takes: where the project is, what it works on, and how much is printed. */
export const COMMON = {
  team: TeamId.schema,
  project: ProjectId.schema,
  apiKey: z.string('Set BILLING_API_KEY.').min(1, 'Set BILLING_API_KEY.'),
  apply: z.boolean().default(false),
  filter: pairs,
  limit: z.coerce.number().int().min(0).max(100_000).default(50),
  url: z.url({ protocol: /^https?$/ }).default('http://localhost:8080'),
};

/** How the common options are written. */
export const COMMON_OPTIONS = {
  team: { type: 'string' },
  project: { type: 'string' },
  apply: { type: 'boolean' },
  filter: { type: 'string', multiple: true },
  limit: { type: 'string' },
  url: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

interface Command<Schema extends z.ZodType> {
  readonly given: Schema;
  readonly options: ParseArgsOptionsConfig;
  readonly usage: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartError that says what is wrong, and how the command is used */
export function parseCommand<Schema extends z.ZodType>(
  { given, options, usage }: Command<Schema>,
  args: readonly string[],
  env: Environment,
): z.output<Schema> {
  try {
    const { values } = parseArgs({ args: [...args], options });
    return given.parse({ ...values, apiKey: env['BILLING_API_KEY'] });
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const where = issue?.path.length && issue.path[0] !== 'apiKey' ? `--${issue.path.join('.')}: ` : '';
    const reason = issue ? `${where}${issue.message}` : err instanceof Error ? err.message : String(err);
    throw new StartError(`${reason}\n\n${usage}`);
  }
}

/** Runs a command; what it throws is printed, and its exit code is 1. */
export async function runCommand(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    process.stderr.write(`${name}: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exitCode = 1;
  }
}
