import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SyncId, type ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound, unprocessable } from '@billing/contracts/problem';
import type { catalogApply } from '@billing/contracts/operations/catalog-documents';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { CATALOG_TYPES, type Sync as SyncResource } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { requireAccount } from '#accounts/connection';
import { lockTeam } from '#accounts/team-lock';
import { describeSync } from '#sync/find-syncs';
import { cancelNightly, queueSync, syncRunning } from '#sync/start-and-cancel-syncs';
import { Sync } from '#sync/sync.entity';
import { storageFull } from '../storage-quota.ts';
import { countBytes, readStoredBytes } from '../stored-bytes.ts';
import { CatalogRun } from './catalog-run.entity.ts';
import { allFindings } from './finding-rows.ts';
import { findDifferences, requireUnchanged } from './find-differences.ts';

type Wanted = z.output<typeof catalogApply>;

interface Parts {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly now: () => Date;
  /** How many bytes a team may store. */
  readonly quotaBytes: number;
}

/** How long a report can be applied, in milliseconds. */
const REPORT_MS = 86_400_000;

/**
 * Queues the comparison of a document with the catalog of a project, or its apply. A team has one sync at a time. The same
 * operation key gives the same sync.
 * @throws Problem 404 `sync_not_found` for an unknown report; 422 `report_mismatch`, `report_required`; 409 `report_expired`,
 * `catalog_changed`, `sync_running`, `processor_not_connected`; 429 for a team that stores all that it may
 */
export function startRun({ outbox, rpc, now, quotaBytes }: Parts) {
  const differences = findDifferences({ rpc, now });

  /** Finds the report that is applied, and requires that the project still differs as it says. */
  const requireReport = async (scope: ProjectScope, id: SyncId, { catalog }: Wanted): Promise<CatalogRun> => {
    const { teamId, projectId } = scope;
    const em = outbox.em.fork();
    const sync = await em.findOne(Sync, { id, teamId, projectId });
    if (!sync) throw notFound('sync');
    const report = await em.findOne(CatalogRun, { syncId: id, teamId, projectId });
    if (!report || sync.mode !== 'report' || sync.status !== 'completed' || !sync.finishedAt) throw reportMismatch();
    if (report.document === null || now().getTime() - sync.finishedAt.getTime() > REPORT_MS)
      throw conflict('report_expired', 'The report is older than 24 hours; make another one.');
    if (!isDeepStrictEqual(report.document, catalog)) throw reportMismatch();
    const { findings } = await differences(scope, report);
    requireUnchanged(await allFindings(em, { id, teamId, projectId }), findings);
    return report;
  };

  return async (
    scope: ProjectScope,
    wanted: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<SyncResource> => {
    const { teamId, projectId } = scope;
    const { mode, catalog: document, reportId = null } = wanted;
    const id = derivedId(SyncId, operationKey, 'sync');
    const known = await outbox.em.fork().findOne(Sync, { id, teamId, projectId });
    if (known) return describeSync(outbox.em.fork(), known);
    const report = reportId === null || mode === 'report' ? null : await requireReport(scope, reportId, wanted);
    if ((await readStoredBytes(outbox.em.fork(), teamId)) >= quotaBytes) throw storageFull();

    return outbox.transaction(async (tx, publish) => {
      await lockTeam(tx, teamId);
      const existing = await tx.findOne(Sync, { id, teamId, projectId });
      if (existing) return describeSync(tx, existing);
      const { livemode } = await requireAccount(tx, teamId);
      if (livemode && mode === 'apply' && !report)
        throw unprocessable('report_required', 'The account is live: make a report first, and apply it by its id.');
      await cancelNightly(tx, teamId);
      const types = [...CATALOG_TYPES];
      const queued = { id, teamId, projectId, kind: 'catalog', mode, types, filter: EVERYTHING } as const;
      const start = { markAtProcessor: false, nightly: false, type: 'product', phase: 'compare' } as const;
      if (!(await queueSync(tx, { ...queued, types, ...start }))) throw syncRunning();
      const { prune, adopt } = report ?? wanted;
      await insertRun(tx, {
        syncId: id,
        teamId,
        projectId,
        document,
        prune,
        adopt,
        reportId: report && reportId,
        audit: context,
      });
      const changes = [{ field: 'mode', from: null, to: mode }];
      recordAudit(publish, teamId, context, { target: { type: 'sync', id }, changes });
      return describeSync(tx, await tx.findOneOrFail(Sync, { id, teamId, projectId }));
    });
  };
}

const EVERYTHING = { metadata: {}, includeUnmarked: true };

const reportMismatch = () =>
  unprocessable('report_mismatch', 'Expected the id of a completed report of the same document.');

async function insertRun(tx: EntityManager, run: CatalogRun): Promise<void> {
  const { syncId, teamId, projectId, document, prune, adopt, reportId, audit } = run;
  await executeBound(
    tx,
    `with saved as (
       insert into catalog_runs (sync_id, team_id, project_id, document, prune, adopt, report_id, audit)
       values ($1, $2, $3, $4::json, $5, $6, $7, $8::jsonb)
       returning team_id, 'syncs' as store, octet_length(document::text) as bytes)
     ${countBytes('saved')}`,
    [syncId, teamId, projectId, JSON.stringify(document), prune, adopt, reportId, JSON.stringify(audit)],
  );
}
