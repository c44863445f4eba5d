import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import { createHttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import type { SigningSecrets } from '#accounts/signing-secrets.ts';
import { serveProcessor } from './routes/processor.ts';
import { serveReceiver } from './routes/receiver.ts';
import { serveWebhookEvents } from './routes/webhook-events.ts';

export interface Dependencies {
  readonly database: Pick<Database, 'em'>;
  readonly secrets: SigningSecrets;
  /** 32 bytes: seals the teams' credentials. */
  readonly credentialsKey: Buffer;
  /** Where the processor is, when it is not the real Stripe. */
  readonly processorBaseUrl: string | undefined;
  /** Where the processor reaches the gateway. */
  readonly publicUrl: string;
  readonly now: () => Date;
  /** Hears that there is new work on an event. */
  readonly onStored: () => void;
  readonly logger: Logger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly isOverloaded?: IsOverloaded;
}

/** The whole HTTP surface of the service; it opens nothing. */
export function createApp(dependencies: Dependencies) {
  const app = createHttpServer({ ...dependencies, idempotency: dependencies.database.em });
  serveProcessor(app, dependencies);
  serveReceiver(app, dependencies);
  serveWebhookEvents(app, dependencies);
  return app;
}
