import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { ProductId, SyncId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { optional, withDefault } from '../optional.ts';
import { catalogDocument, shownCatalog } from '../resources/catalog-document.ts';
import { catalogKey } from '../resources/catalog-key.ts';
import { sync, SYNC_MODES } from '../resources/sync.ts';
import { booleanText } from '../text.ts';

const unkeyed = z.object({
  type: z.enum(['product', 'price', 'coupon']),
  id: z.string().meta({ description: 'The id of its record.', example: ProductId.example }),
  name: z.string().meta({ description: 'What people know it by.', example: 'Pro' }),
  proposedKey: catalogKey
    .exactOptional()
    .describe('With `adopt`: its key in the document; absent where another is the same.'),
});

export const catalogApply = z
  .strictObject({
    catalog: catalogDocument,
    mode: z.enum(SYNC_MODES).describe('A `report` changes nothing; `apply` makes the catalog equal to the document.'),
    reportId: optional(SyncId.schema).describe(
      'The report whose findings are applied, with its `prune` and `adopt`: exactly these, or nothing. Needed for a live account.',
    ),
    prune: withDefault(z.boolean(), false).describe('Archives what has a key and is not in the document.'),
    adopt: withDefault(z.boolean(), false).describe(
      'Gives its key to what is active, has none and is the same: a product of the name, a price of the terms, a coupon of the name.',
    ),
  })
  .meta({
    id: 'CatalogApply',
    description: 'A document to compare with the catalog, and to apply.',
    example: { mode: 'report' },
  });

/** The catalog as a document that is kept in a repository. */
export const catalogDocumentOperations = declareOperations('webhooks', {
  exportCatalog: {
    route: `GET ${PROJECT_PATH}/catalog`,
    access: projectAccess('products:read'),
    summary: 'Get all that the project sells as a document without ids; equal catalogs are equal bytes',
    isTagged: true,
    query: z.strictObject({
      adopt: booleanText
        .optional()
        .describe('Also what has no key, under one that is made of its name: an apply with `adopt` gives it that.'),
    }),
    response: z.object({
      catalog: shownCatalog,
      unkeyed: z.array(unkeyed).describe('What is active and has no key, and so is not in the document.'),
    }),
    problems: ['project_not_found'],
    example: {
      response: {
        unkeyed: [],
      },
    },
  },
  applyCatalog: {
    route: `POST ${PROJECT_PATH}/catalog/apply`,
    access: projectAccess('products:write'),
    summary: 'Compare a document with the catalog, and with `apply` make the catalog equal to it',
    body: catalogApply,
    status: 202,
    response: z.object({ sync }),
    problems: [
      'sync_running',
      'processor_not_connected',
      'sync_not_found',
      'report_mismatch',
      'report_expired',
      'report_required',
      'catalog_changed',
    ],
    example: {
      response: { sync: { kind: 'catalog', status: 'queued', types: ['feature', 'product', 'price'], counts: {} } },
    },
  },
});
