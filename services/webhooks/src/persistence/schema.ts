import type { ServiceSchema } from '@billing/service/definition';
import { CreateWebhooks } from './migrations/0001-create-webhooks.ts';
import { ProcessorAccount } from './processor-account.entity.ts';
import { ProjectCopy } from './project-copy.entity.ts';
import { Reconciliation } from './reconciliation.entity.ts';
import { Route } from './route.entity.ts';
import { SigningSecret } from './signing-secret.entity.ts';
import { WebhookEvent } from './webhook-event.entity.ts';

/** The service's own tables. */
export const webhooksSchema: ServiceSchema = {
  entities: [ProcessorAccount, SigningSecret, WebhookEvent, Route, ProjectCopy, Reconciliation],
  backlog: ['webhook_events'],
  migrations: [{ name: '0001-create-webhooks', class: CreateWebhooks }],
};
