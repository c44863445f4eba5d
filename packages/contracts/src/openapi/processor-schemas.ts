import { processorAccount, processorConnect } from '../resources/processor-account.ts';
import { processorHealth } from '../resources/processor-health.ts';
import { sync, syncCreate, syncFinding } from '../resources/sync.ts';
import { webhookEvent } from '../resources/webhook-event.ts';
import { named, type NamedSchema } from './named-schema.ts';

/** The schemas about a team's connection to the payment processor, and what comes from there. */
export const processorSchemas: readonly NamedSchema[] = [
  named('ProcessorConnect', processorConnect, 'Credentials of the payment processor; they are never returned.', {
    webhookSecret:
      'The signing secret of the webhook endpoint; the previous one stays valid for 24 hours. Without it the endpoint is made at the payment processor, which needs a key that may do so.',
    additionalWebhookSecrets: 'Signing secrets of further endpoints, valid as long as they are listed.',
  }),
  named('ProcessorAccount', processorAccount, 'A team’s connection to the payment processor.'),
  named('ProcessorHealth', processorHealth, 'Whether the connection to the payment processor works.', {
    status: '`broken` when the key or the endpoint does not work, `degraded` when another check found something.',
    checks: 'Each with what it found, and what to do about it.',
  }),
  named('Sync', sync, 'A comparison of the payment processor’s account with the records of a project.', {
    mode: 'A `report` changes nothing; `apply` makes the records equal to the account.',
    progress: 'Per type: objects read, and the total once all are read.',
    counts: 'Per type: objects by outcome, and how many were applied.',
    nightly: 'True for the report that runs every night.',
    error: 'Why it failed; null unless it did.',
  }),
  named('SyncCreate', syncCreate, 'A sync to start.', {
    types: 'What to compare; everything unless given.',
    filter:
      'Takes objects whose metadata has all of these values, and with `includeUnmarked` those with none of these keys; others are skipped as foreign.',
    markAtProcessor: 'Writes the ids of the records into the metadata of the objects that were taken.',
  }),
  named('SyncFinding', syncFinding, 'An object of the payment processor that differs from the record of it.', {
    id: 'The id of the record; null where there is none.',
    outcome:
      '`missing`: not recorded. `different`: fields differ. `extra`: recorded, but not at the processor. `conflict`: another customer with its e-mail is taken. `skipped`: not of this project, or deleted here.',
    fields: 'The fields that differ, with both values.',
    reason: 'Why it is skipped, in conflict, or was not applied.',
    applied: 'Whether the record is equal to the object now.',
  }),
  named('WebhookEvent', webhookEvent, 'A webhook event of the payment processor.', {
    projectId: 'Null until the event is routed to a project.',
    objectId: 'The processor’s id of the object that the event is about.',
    routedBy: 'How the project was found.',
    error: 'The reason of the failure.',
    recovered: 'Whether the webhook was missing and the event was fetched from the payment processor’s list of events.',
  }),
];
