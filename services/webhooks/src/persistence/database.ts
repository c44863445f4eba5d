import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { HealingCursor } from './healing-cursor.entity.ts';
import { KnownProject } from './known-project.entity.ts';
import { CreateProcessorAccounts } from './migrations/0001-create-processor-accounts.ts';
import { CreateWebhookEvents } from './migrations/0002-create-webhook-events.ts';
import { CreateRoutes } from './migrations/0003-create-routes.ts';
import { CreateHealingCursors } from './migrations/0004-create-healing-cursors.ts';
import { LetPayloadsGo } from './migrations/0005-let-payloads-go.ts';
import { TellWhatDoesNotSettle } from './migrations/0006-tell-what-does-not-settle.ts';
import { CountPayloads } from './migrations/0007-count-payloads.ts';
import { ProcessorAccount } from './processor-account.entity.ts';
import { Route } from './route.entity.ts';
import { SigningSecret } from './signing-secret.entity.ts';
import { WebhookEvent } from './webhook-event.entity.ts';

/** The service's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'webhooks',
    url,
    entities: [
      ...messagingEntities,
      ...idempotencyEntities,
      ProcessorAccount,
      SigningSecret,
      WebhookEvent,
      Route,
      KnownProject,
      HealingCursor,
    ],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-processor-accounts', class: CreateProcessorAccounts },
      { name: '0002-create-webhook-events', class: CreateWebhookEvents },
      { name: '0003-create-routes', class: CreateRoutes },
      { name: '0004-create-healing-cursors', class: CreateHealingCursors },
      { name: '0005-let-payloads-go', class: LetPayloadsGo },
      { name: '0006-tell-what-does-not-settle', class: TellWhatDoesNotSettle },
      { name: '0007-count-payloads', class: CountPayloads },
    ],
  });
}
