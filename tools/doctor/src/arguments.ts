import { parseArgs } from 'node:util';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from './finding.ts';

const USAGE = `Usage: npm run doctor -- [--json] [--waiting <seconds>] [--sample <number>]

  --json      print JSON
  --waiting   how long work may wait before it is a finding; ${DEFAULT_LIMITS.waitingSeconds} unless given
  --sample    how many subscriptions to compare with the processor; ${DEFAULT_LIMITS.sample} unless given

Exit codes: 0 nothing is wrong, 1 there are findings, 2 it could not be examined.`;

const given = z.object({
  json: z.boolean().default(false),
  waiting: z.coerce.number().int().min(1).default(DEFAULT_LIMITS.waitingSeconds),
  sample: z.coerce.number().int().min(0).max(1_000).default(DEFAULT_LIMITS.sample),
});

/** @throws StartError that says what is wrong, and how the command is used */
export function parseArguments(args: readonly string[]): { readonly json: boolean; readonly limits: Limits } {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, waiting: text, sample: text },
    });
    const { json, waiting, sample } = given.parse(values);
    return { json, limits: { ...DEFAULT_LIMITS, waitingSeconds: waiting, sample } };
  } catch (err) {
    const [issue] = err instanceof z.ZodError ? err.issues : [];
    const reason = issue
      ? `${issue.path.join('.')}: ${issue.message}`
      : err instanceof Error
        ? err.message
        : String(err);
    throw new StartError(`${reason}\n\n${USAGE}`);
  }
}
