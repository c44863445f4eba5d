import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import {
  migrationFinding,
  migrationOutcome,
  priceMigration,
  priceMigrationCreate,
} from '../resources/price-migration.ts';

const read = projectAccess('subscriptions:read');
const write = projectAccess('subscriptions:write');
const path = `${PROJECT_PATH}/price-migrations/:priceMigrationId` as const;

export const priceMigrationOperations = declareOperations('subscriptions', {
  createPriceMigration: {
    route: `POST ${PROJECT_PATH}/price-migrations`,
    access: write,
    summary: 'Move all subscriptions of a price to another one at the end of their periods, or report what would move',
    body: priceMigrationCreate,
    status: 202,
    response: z.object({ priceMigration }),
    problems: [
      'price_not_found',
      'price_inactive',
      'product_inactive',
      'price_type_mismatch',
      'no_change',
      'price_migration_running',
      'processor_not_connected',
    ],
    example: { response: { priceMigration: { status: 'queued' } } },
  },
  listPriceMigrations: {
    route: `GET ${PROJECT_PATH}/price-migrations`,
    access: read,
    summary: 'List price migrations, newest first',
    query: z.strictObject(pageQuery),
    response: z.object({ priceMigrations: z.array(priceMigration), pagination }),
  },
  getPriceMigration: {
    route: `GET ${path}`,
    access: read,
    summary: 'Get a price migration with its progress and counts',
    response: z.object({ priceMigration }),
    problems: ['price_migration_not_found'],
  },
  cancelPriceMigration: {
    route: `POST ${path}/cancel`,
    access: write,
    summary: 'Stop a price migration; what it has scheduled stays',
    response: z.object({ priceMigration }),
    problems: ['price_migration_not_found'],
    example: { response: { priceMigration: { status: 'canceled' } } },
  },
  listPriceMigrationFindings: {
    route: `GET ${path}/findings`,
    access: read,
    summary: 'List what a price migration does to each subscription',
    query: z.strictObject({ outcome: migrationOutcome.optional().describe('Only this outcome.'), ...pageQuery }),
    response: z.object({ findings: z.array(migrationFinding), pagination }),
    problems: ['price_migration_not_found'],
    example: { query: { outcome: 'skipped' } },
  },
});
