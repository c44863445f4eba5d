import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '@billing/service/http';
import type { Logger } from 'pino';
import { readAssets } from '#views/document.ts';
import { actionRoutes } from './routes/actions.ts';
import { addPrivacyHeaders } from './routes/headers.ts';
import { pageRoutes } from './routes/pages.ts';
import { portalConfigRoutes } from './routes/portal-config.ts';
import { sessionRoutes } from './routes/sessions.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  /** Where customers reach the gateway. */
  readonly publicUrl: string;
  /** 32 bytes. Derives the token of a repeated request, so that no token has to be stored. */
  readonly tokenKey: Buffer;
  /** 32 bytes. Signs drafts of configurations. */
  readonly draftKey: Buffer;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Returns the portal's HTTP server: sessions for a project's team, actions and the page for its customers. */
export function createApp(options: HttpServerOptions, dependencies: Dependencies): HttpServer {
  const app = createHttpServer(options);
  app.addHook('onSend', addPrivacyHeaders);
  app.register(sessionRoutes(dependencies));
  app.register(portalConfigRoutes(dependencies));
  app.register(actionRoutes(dependencies));
  app.register(pageRoutes({ ...dependencies, assets: readAssets() }), { prefix: '/portal' });
  return app;
}
