import { z } from 'zod';
import { TeamId } from '../ids.ts';
import { SERVICES, type ServiceName } from '../operation.ts';
import { auditContext } from '../resources/audit-entry.ts';
import { timestamp } from '../timestamp.ts';
import { deadLetter, deadLetterId, deadLetterWithData } from '../resources/dead-letter.ts';
import { defineRpc } from '../rpc.ts';

/** So many dead letters fit into a reply. */
export const MAX_LISTED = 500;

const filter = { consumer: z.string().optional(), type: z.string().optional() };
/** One letter, or those that match the filter. */
const chosen = { teamId: TeamId.schema, id: deadLetterId.optional(), ...filter, audit: auditContext };
const count = z.object({ count: z.int() });

const callsOf = (service: ServiceName) => ({
  /** A team's dead letters, newest first. */
  list: defineRpc(
    service,
    'list-dead-letters',
    z.object({
      teamId: TeamId.schema,
      ...filter,
      limit: z.int().min(1).max(MAX_LISTED),
      offset: z.int().min(0),
      /** Only those that follow this one, of any service. */
      after: z.object({ at: timestamp, id: z.string() }).optional(),
    }),
    z.object({ deadLetters: z.array(deadLetter), total: z.int() }),
  ),
  /** A dead letter of the team, or null. */
  find: defineRpc(
    service,
    'find-dead-letter',
    z.object({ teamId: TeamId.schema, id: deadLetterId }),
    deadLetterWithData.nullable(),
  ),
  /** Has dead letters handled once more; returns how many were not being retried yet. */
  retry: defineRpc(service, 'retry-dead-letters', z.object(chosen), count),
  /** Deletes dead letters that are not being retried; returns how many. */
  drop: defineRpc(service, 'drop-dead-letters', z.object(chosen), count),
});

/** The calls about the dead letters of each service. */
export const deadLetterCalls = Object.fromEntries(SERVICES.map(service => [service, callsOf(service)])) as Readonly<
  Record<ServiceName, ReturnType<typeof callsOf>> // has every service
>;
