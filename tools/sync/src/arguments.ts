import { parseArgs } from 'node:util';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { syncType } from '@billing/contracts/resources/sync';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const USAGE = `Usage: BILLING_API_KEY=bil_… npm run sync -- --team team_… --project proj_… [options]

  Compares the payment processor's account with the records of a project. The key needs the scopes
  customers:…, products:… and subscriptions:…, read and write.

  --apply                 make the records equal to the account; without it nothing changes
  --types a,b             of product, price, coupon, customer, promotion_code, subscription, invoice, payment; all unless given
  --filter key=value      take objects with this metadata; may be given several times
  --marked-only           leave out objects with none of the filter's keys
  --mark                  write our ids into the metadata at the processor
  --limit <number>        findings to print; 50 unless given
  --url <address>         of the gateway; http://localhost:8080 unless given`;

const given = z.object({
  team: TeamId.schema,
  project: ProjectId.schema,
  apiKey: z.string('Set BILLING_API_KEY.').min(1, 'Set BILLING_API_KEY.'),
  apply: z.boolean().default(false),
  types: z
    .string()
    .transform(list => list.split(','))
    .pipe(z.array(syncType))
    .optional(),
  filter: z
    .array(z.string().regex(/^[^=]+=/, 'Expected key=value.'))
    .default([])
    .transform(pairs => Object.fromEntries(pairs.map(pair => splitPair(pair)))),
  'marked-only': z.boolean().default(false),
  mark: z.boolean().default(false),
  limit: z.coerce.number().int().min(0).max(100_000).default(50),
  url: z.url({ protocol: /^https?$/ }).default('http://localhost:8080'),
});

/** What the caller asks for. */
export type Arguments = z.output<typeof given>;

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** @throws StartError that says what is wrong, and how the command is used */
export function parseArguments(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Arguments {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    team: text,
    project: text,
    apply: flag,
    types: text,
    filter: { type: 'string', multiple: true },
    'marked-only': flag,
    mark: flag,
    limit: text,
    url: text,
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    return given.parse({ ...values, apiKey: env['BILLING_API_KEY'] });
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const where = issue?.path.length && issue.path[0] !== 'apiKey' ? `--${issue.path.join('.')}: ` : '';
    const reason = issue ? `${where}${issue.message}` : err instanceof Error ? err.message : String(err);
    throw new StartError(`${reason}\n\n${USAGE}`);
  }
}
