import { parseArgs } from 'node:util';
import { EVENT_TYPES } from '@billing/contracts/event-types';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { timestamp } from '@billing/contracts/timestamp';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const USAGE = `Usage: BILLING_API_KEY=bil_… npm run webhooks:listen -- --team team_… --project proj_… --forward http://localhost:3000/hook

  Posts the events of a project to an address of yours as they happen, signed as an endpoint's are. The key needs the
  scope webhooks:read.

  --forward <address>     where events are posted, once each: go back with --since for what it did not take
  --print-secret          print the secret that signs them, which stays the same for a key; alone, nothing else is done
  --types a,b             only events of these types
  --since <time>          begin with the events of this time, such as 2026-03-02T09:30:00Z; now unless given
  --url <address>         of the gateway; http://localhost:8080 unless given`;

const httpUrl = z.url({ protocol: /^https?$/ });
const missingKey = 'Set BILLING_API_KEY.';
const keyAlone = z.object({
  apiKey: z.string(missingKey).min(1, missingKey),
  'print-secret': z.boolean().default(false),
});
const listening = keyAlone.extend({
  forward: httpUrl,
  team: TeamId.schema,
  project: ProjectId.schema,
  types: z
    .string()
    .transform(list => list.split(','))
    .pipe(z.array(z.enum(EVENT_TYPES)))
    .optional(),
  since: timestamp.optional(),
  url: httpUrl.default('http://localhost:8080'),
});

/** What the caller asks for: to listen, or only for the secret. */
export type Arguments = z.output<typeof listening> | z.output<typeof keyAlone>;

/** @throws StartError that says what is wrong, and how the command is used */
export function parseArguments(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Arguments {
  const text = { type: 'string' } as const;
  const options = {
    forward: text,
    'print-secret': { type: 'boolean' },
    team: text,
    project: text,
    types: text,
    since: text,
    url: text,
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    const wantsSecretAlone = values['print-secret'] === true && values.forward === undefined;
    return (wantsSecretAlone ? keyAlone : listening).parse({ ...values, apiKey: env['BILLING_API_KEY'] });
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const option = issue?.path[0]?.toString() ?? '';
    const isMissing = option in options && !args.some(arg => arg.split('=')[0] === `--${option}`);
    const problem = isMissing ? 'is missing.' : issue?.message;
    const where = option in options ? `--${option}${isMissing ? ' ' : ': '}` : '';
    const reason = problem ? `${where}${problem}` : err instanceof Error ? err.message : String(err);
    throw new StartError(`${reason}\n\n${USAGE}`);
  }
}
