import type { Asking } from '@billing/messaging/ask';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Database } from '@billing/service-kit/database';
import type { Checks } from '@billing/service-kit/health';
import { createHttpServer } from '@billing/service-kit/http';
import type { VerifyStatement } from '@billing/service-kit/principal';
import type { RefusesWrites } from '@billing/service-kit/refused-writes';
import type { Logger } from 'pino';
import { readAssets } from '#page/assets.ts';
import { keepPrivate } from '#page/headers.ts';
import { serveActions } from './routes/actions.ts';
import { portalPages } from './routes/pages.ts';
import { serveSessions } from './routes/sessions.ts';

export interface Dependencies {
  readonly database: Pick<Database, 'em'>;
  readonly asking: Asking;
  readonly processors: TeamProcessors;
  /** Where customers reach the gateway. */
  readonly publicUrl: string;
  /** 32 bytes: makes the token of a repeated request again. */
  readonly tokenKey: Buffer;
  /** Where the processor is, when it is not the real Stripe. */
  readonly processorBaseUrl: string | undefined;
  readonly logger: Logger;
  readonly verifyStatement: VerifyStatement;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly refusesWrites?: RefusesWrites;
}

/** The portal's HTTP surface: sessions for those who run a project, actions and the page for their customers. */
export function createApp(dependencies: Dependencies) {
  const app = createHttpServer(dependencies);
  app.addHook('onSend', keepPrivate);
  serveSessions(app, dependencies);
  serveActions(app, dependencies);
  app.register(portalPages(dependencies, readAssets()), { prefix: '/portal' });
  return app;
}
