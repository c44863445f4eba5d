import { openRpcClient } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { forgetProcessed } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { startCleaning } from '@billing/service/cleaning';
import { migrate, ping } from '@billing/service/database';
import { forgetIdempotentRequests } from '@billing/service/idempotency';
import { runService } from '@billing/service/lifecycle';
import { identityTokenVerifier } from '@billing/service/identity-token';
import { startReconciler } from '@billing/processor/journal/reconciler';
import { openCatalogJournal } from '#operations/open-journal.ts';
import { openDatabase } from '#persistence/database.ts';
import { answerAboutPrices } from './answers/prices.ts';
import { createApp } from './app.ts';
import { catalogEnv } from './env.ts';
import { reactToPrices } from './reactions/prices.ts';
import { reactToProducts } from './reactions/products.ts';

await runService('catalog', catalogEnv, async ({ env, logger, resources }) => {
  const database = resources.adopt(openDatabase(env.DATABASE_URL), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectBroker(env.NATS_URL, 'catalog'), closeBroker);
  const bus = await openBus({ nats, logger });
  const { root } = bus;

  const processors = resources.adopt(
    openTeamProcessors({
      rpc: openRpcClient({ nats, root }),
      nats,
      root,
      credentialsKey: env.CREDENTIALS_KEY,
      baseUrl: env.STRIPE_API_BASE_URL,
    }),
    it => it.close(),
  );
  const journal = openCatalogJournal({ em, processors, logger });
  resources.defer(startReconciler({ journal, em, logger }));

  const products = reactToProducts({ em, processors, logger });
  const prices = reactToPrices({ em, processors, logger });
  resources.defer(await bus.consume('catalog-products', 'processor.product.*.v1', products.receive));
  resources.defer(await bus.consume('catalog-prices', 'processor.price.*.v1', prices.receive));
  resources.defer(answerAboutPrices({ em, nats, root, logger }));
  resources.defer(startRelay(em, bus.publish, logger));
  const backlog = resources.adopt(watchBackPressure(em, { highWater: env.OUTBOX_HIGH_WATER, logger }), it =>
    it.close(),
  );
  const tasks = [() => forgetProcessed(em), () => forgetIdempotentRequests(em)];
  resources.defer(startCleaning(logger, ...tasks));

  const verifyIdentityToken = identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, 'catalog');
  const checks = { database: () => ping(database), broker: () => bus.ping() };
  const app = resources.adopt(
    createApp({ database, journal, verifyIdentityToken, logger, checks, isOverloaded: backlog.isOverloaded }),
    it => it.close(),
  );
  await app.listen({ port: env.PORT, host: env.HOST });
});
