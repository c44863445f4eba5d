import type { Routes } from '@billing/service/definition';
import { priceMigrationOperations as operations } from '@billing/contracts/operations/price-migrations';
import { serve } from '@billing/service/serve';
import { bodyResolver } from '#copies/find-prices-by-key';
import type { Dependencies } from '../dependencies.ts';
import {
  describeMigration,
  findPriceMigration,
  listMigrationFindings,
  listPriceMigrations,
} from './find-price-migrations.ts';
import { cancelPriceMigration, startPriceMigration } from './start-price-migration.ts';

interface MigrationDependencies extends Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'now'> {
  /** Called when a migration was queued. */
  readonly onQueued: () => void;
}

/** Moves of the subscriptions of one price to another one. */
export function priceMigrationRoutes({ onQueued, ...dependencies }: MigrationDependencies): Routes {
  const { em } = dependencies;
  const start = startPriceMigration(dependencies);
  const cancel = cancelPriceMigration(dependencies);
  const resolved = bodyResolver(dependencies);

  return app => {
    serve(app, operations.createPriceMigration, async ({ params, body, audit, operationKey }) => {
      const priceMigration = await start(params, await resolved(params, body), audit, operationKey);
      onQueued();
      return { priceMigration };
    });
    serve(app, operations.listPriceMigrations, ({ params, query }) => listPriceMigrations(em, params, query));
    serve(app, operations.getPriceMigration, async ({ params: { priceMigrationId, ...scope } }) => {
      const fork = em.fork();
      return { priceMigration: await describeMigration(fork, await findPriceMigration(fork, scope, priceMigrationId)) };
    });
    serve(app, operations.cancelPriceMigration, async ({ params: { priceMigrationId, ...scope }, audit }) => ({
      priceMigration: await cancel(scope, priceMigrationId, audit),
    }));
    serve(app, operations.listPriceMigrationFindings, async ({ params: { priceMigrationId, ...scope }, query }) =>
      listMigrationFindings(em, await findPriceMigration(em.fork(), scope, priceMigrationId), query),
    );
  };
}
