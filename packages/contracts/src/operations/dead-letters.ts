import { z } from 'zod';
import { exampleDeadLetter } from '../openapi/examples/gateway.ts';
import { examplePagination } from '../openapi/examples/shared.ts';
import { operation, SERVICES, TEAM_PATH, teamParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { deadLetter, deadLetterId, deadLetterWithData } from '../resources/dead-letter.ts';
import { text } from '../text.ts';

const service = 'gateway';
const owner = { kind: 'team', role: 'owner' } as const;
const params = teamParams.extend({ deadLetterId });
const filters = { service: z.enum(SERVICES).optional(), consumer: text(64).optional(), type: text(120).optional() };
const success = z.object({ success: z.boolean() });
const exampleFilter = { service: exampleDeadLetter.service, consumer: exampleDeadLetter.consumer } as const;

/** The dead letters of all services. A service that does not respond makes the whole response 503. */
export const deadLetterOperations = {
  listDeadLetters: operation({
    id: 'listDeadLetters',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/dead-letters`,
    access: owner,
    summary: 'List the events of a team that a service failed to handle for good, newest first',
    params: teamParams,
    query: z.strictObject({ ...filters, ...pageQuery }),
    status: 200,
    response: z.object({ deadLetters: z.array(deadLetter), pagination }),
    problems: [],
    example: {
      query: { service: exampleDeadLetter.service, type: exampleDeadLetter.type },
      response: { deadLetters: [exampleDeadLetter], pagination: examplePagination },
    },
  }),
  getDeadLetter: operation({
    id: 'getDeadLetter',
    service,
    method: 'GET',
    path: `${TEAM_PATH}/dead-letters/:deadLetterId`,
    access: owner,
    summary: 'Get a dead letter with the data of its event',
    params,
    status: 200,
    response: z.object({ deadLetter: deadLetterWithData }),
    problems: ['dead_letter_not_found'],
    example: {
      response: {
        deadLetter: {
          ...exampleDeadLetter,
          data: { eventId: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX', projectId: exampleDeadLetter.projectId, livemode: false },
        },
      },
    },
  }),
  retryDeadLetter: operation({
    id: 'retryDeadLetter',
    service,
    method: 'POST',
    path: `${TEAM_PATH}/dead-letters/:deadLetterId/retry`,
    access: owner,
    summary: 'Have the event of a dead letter handled once more; it is gone once that succeeds',
    params,
    status: 202,
    response: success,
    problems: ['dead_letter_not_found'],
    example: { response: { success: true } },
  }),
  retryDeadLetters: operation({
    id: 'retryDeadLetters',
    service,
    method: 'POST',
    path: `${TEAM_PATH}/dead-letters/retry`,
    access: owner,
    summary: 'Retry every dead letter of a team, or those that match',
    params: teamParams,
    body: z.strictObject(filters),
    status: 202,
    response: z.object({ retried: z.int() }),
    problems: [],
    example: { body: exampleFilter, response: { retried: 1 } },
  }),
  dropDeadLetter: operation({
    id: 'dropDeadLetter',
    service,
    method: 'DELETE',
    path: `${TEAM_PATH}/dead-letters/:deadLetterId`,
    access: owner,
    summary: 'Delete a dead letter for good: its event is never handled',
    params,
    status: 200,
    response: success,
    problems: ['dead_letter_not_found', 'dead_letter_retrying'],
    example: { response: { success: true } },
  }),
  dropDeadLetters: operation({
    id: 'dropDeadLetters',
    service,
    method: 'POST',
    path: `${TEAM_PATH}/dead-letters/drop`,
    access: owner,
    summary: 'Delete every dead letter of a team, or those that match, for good',
    params: teamParams,
    body: z.strictObject(filters),
    status: 200,
    response: z.object({ dropped: z.int() }),
    problems: [],
    example: { body: exampleFilter, response: { dropped: 1 } },
  }),
};
