import type { TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { parseDeadLetterId, type DeadLetterWithData } from '@billing/contracts/resources/dead-letter';
import { deadLetterCalls } from '@billing/contracts/rpc/dead-letters';
import type { RpcClient } from '@billing/messaging/rpc';

/**
 * Finds a dead letter of the team in the service that its id names.
 * @throws Problem 404 `dead_letter_not_found`; 503 when the service does not respond
 */
export function findDeadLetter({ rpc }: { readonly rpc: RpcClient }) {
  return async (teamId: TeamId, id: string): Promise<DeadLetterWithData> => {
    const { service } = parseDeadLetterId(id);
    const letter = await rpc.call(deadLetterCalls[service].find, { teamId, id });
    if (!letter) throw notFound('dead_letter');
    return letter;
  };
}
