import { parseArgs } from 'node:util';
import { TeamId } from '@billing/contracts/ids';
import { SERVICES } from '@billing/contracts/operation';
import { deadLetterId } from '@billing/contracts/resources/dead-letter';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const USAGE = `Usage: npm run dead-letters -- list|show|retry|drop [options]

  list                    the newest ones of all teams
  show --id dl_…          one, with its event and the error
  retry                   handle them once more
  drop                    delete them for good; without --id it needs --yes

  --service <name>  --team team_…  --consumer <name>  --type <event type>  --id dl_…
  --limit <number>        of list; 100 unless given
  --json                  print JSON`;

const given = z
  .object({
    command: z.enum(['list', 'show', 'retry', 'drop']),
    service: z.enum(SERVICES).optional(),
    team: TeamId.schema.optional(),
    consumer: z.string().min(1).optional(),
    type: z.string().min(1).optional(),
    id: deadLetterId.optional(),
    limit: z.coerce.number().int().min(1).max(10_000).default(100),
    json: z.boolean().default(false),
    yes: z.boolean().default(false),
  })
  .refine(({ command, id }) => command !== 'show' || id !== undefined, 'show needs --id.')
  .refine(({ command, id, yes }) => command !== 'drop' || id !== undefined || yes, {
    message: 'This deletes every dead letter that matches, for good. Look at them with list, then add --yes.',
  });

/** What the operator asks for. */
export type Arguments = z.output<typeof given>;

/** @throws StartError that says what is wrong, and how the command is used */
export function parseArguments(args: readonly string[]): Arguments {
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { service: text, team: text, consumer: text, type: text, id: text, limit: text, json: flag, yes: flag },
    });
    const [command, ...rest] = positionals;
    if (rest.length > 0) throw new Error(`Unexpected: ${rest.join(' ')}`);
    return given.parse({ ...values, command });
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    const reason = issue ? `${where}${issue.message}` : err instanceof Error ? err.message : String(err);
    throw new StartError(`${reason}\n\n${USAGE}`);
  }
}
