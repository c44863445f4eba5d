import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { CatalogDocument } from '@billing/contracts/resources/catalog-document';

const CatalogRunSchema = defineEntity({
  name: 'CatalogRun',
  tableName: 'catalog_runs',
  properties: {
    syncId: p.text().$type<SyncId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    /** Null once it can be applied no more. */
    document: p.json<CatalogDocument>().columnType('json').strictNullable(),
    prune: p.boolean(),
    adopt: p.boolean(),
    /** The report whose findings it applies. */
    reportId: p.text().$type<SyncId>().strictNullable(),
    /** Who started it. */
    audit: p.json<AuditContext>(),
  },
});

/** What a sync with a document compares, and how. */
export class CatalogRun extends CatalogRunSchema.class {}
CatalogRunSchema.setClass(CatalogRun);
