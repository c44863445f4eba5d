import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { SERVICES, TEAM_PATH } from '../operation.ts';
import { optional } from '../optional.ts';
import { longListQuery, pagination } from '../pagination.ts';
import { deadLetter, deadLetterWithData } from '../resources/dead-letter.ts';
import { text } from '../text.ts';

const owner = { kind: 'team', role: 'owner' } as const;
const filters = {
  service: z.enum(SERVICES).describe('Only those of this service.'),
  consumer: text(64).describe('Only those of this consumer, for example `subscriptions-invoices`.'),
  type: text(120).describe('Only events of this type, for example `processor.invoice.paid.v1`.'),
};
const matching = z
  .strictObject({
    service: optional(filters.service),
    consumer: optional(filters.consumer),
    type: optional(filters.type),
  })
  .meta({ example: { service: 'subscriptions', consumer: 'subscriptions-invoices' } });
const count = z.int().meta({ example: 1 });

/** The dead letters of all services. A service that does not respond makes the whole response 503. */
export const deadLetterOperations = declareOperations('gateway', {
  listDeadLetters: {
    route: `GET ${TEAM_PATH}/dead-letters`,
    access: owner,
    summary: 'List the events of a team that a service failed to handle for good, newest first',
    query: z.strictObject(filters).partial().extend(longListQuery),
    response: z.object({ deadLetters: z.array(deadLetter), pagination }),
    example: { query: { service: 'subscriptions', type: 'processor.invoice.paid.v1' } },
  },
  getDeadLetter: {
    route: `GET ${TEAM_PATH}/dead-letters/:deadLetterId`,
    access: owner,
    summary: 'Get a dead letter with the data of its event',
    response: z.object({ deadLetter: deadLetterWithData }),
    problems: ['dead_letter_not_found'],
  },
  retryDeadLetter: {
    route: `POST ${TEAM_PATH}/dead-letters/:deadLetterId/retry`,
    access: owner,
    summary: 'Have the event of a dead letter handled once more; it is gone once that succeeds',
    status: 202,
    response: success,
    problems: ['dead_letter_not_found'],
  },
  retryDeadLetters: {
    route: `POST ${TEAM_PATH}/dead-letters/retry`,
    access: owner,
    summary: 'Retry every dead letter of a team, or those that match',
    body: matching,
    status: 202,
    response: z.object({ retried: count }),
  },
  dropDeadLetter: {
    route: `DELETE ${TEAM_PATH}/dead-letters/:deadLetterId`,
    access: owner,
    summary: 'Delete a dead letter for good: its event is never handled',
    response: success,
    problems: ['dead_letter_not_found', 'dead_letter_retrying'],
  },
  dropDeadLetters: {
    route: `POST ${TEAM_PATH}/dead-letters/drop`,
    access: owner,
    summary: 'Delete every dead letter of a team, or those that match, for good',
    body: matching,
    response: z.object({ dropped: count }),
  },
});
