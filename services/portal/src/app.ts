import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import { createHttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { readAssets } from '#page/assets.ts';
import { keepPrivate } from '#page/headers.ts';
import { serveActions } from './routes/actions.ts';
import { portalPages } from './routes/pages.ts';
import { serveSessions } from './routes/sessions.ts';

export interface Dependencies {
  readonly database: Pick<Database, 'em'>;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  /** Where customers reach the gateway. */
  readonly publicUrl: string;
  /** 32 bytes: makes the token of a repeated request again. */
  readonly tokenKey: Buffer;
  /** Where the processor is, when it is not the real Stripe. */
  readonly processorBaseUrl: string | undefined;
  readonly logger: Logger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly isOverloaded?: IsOverloaded;
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
