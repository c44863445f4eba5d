import { createHash } from 'node:crypto';
import { AuditEntryId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import {
  FindPortalConfig,
  SetGraceDays,
  SetPortalConfig,
  WriteCatalog,
  type CatalogWrite,
} from '@billing/contracts/rpc/catalog';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Outbox } from '@billing/messaging/outbox';
import { LEASE_SECONDS, workInTurns, type Stepped } from '@billing/processor/turns';
import { derivedId } from '@billing/service/derived-id';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { completeSync } from '#sync/complete-sync';
import { updateHeld, type LeasedSync } from '#sync/lease-syncs';
import { CatalogRun } from './catalog-run.entity.ts';
import type { CatalogFinding } from './finding.rules.ts';
import { allFindings, nextFindings, noteOutcome, saveFindings } from './finding-rows.ts';
import { countSubscriptions, findDifferences, requireUnchanged } from './find-differences.ts';
import { itemsOf, type CatalogItems } from './items.rules.ts';
import { toPortalConfig, withNewestPrices } from './portal.rules.ts';
import { readRecords } from './read-catalog.ts';
import { PASSES, passesOf, typesOf, writesOf, type CatalogPass, type CatalogPhase } from './writes.rules.ts';

/** Findings of one step: each may take several calls to the processor. */
const BATCH = 5;
/** Longer than a write may take with its retries at the processor. */
const WRITE_MS = 20_000;

interface Stage {
  readonly phase: CatalogPhase;
  /** The finding before the next one; null at the beginning of a phase. */
  readonly after: string | null;
}

interface RunParts {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly now: () => Date;
  readonly turnMs?: number;
  readonly logger: Logger;
}

/** What the writes of a run are made with. */
interface Applying {
  readonly sync: LeasedSync;
  readonly run: CatalogRun;
  readonly wanted: CatalogItems;
}

/**
 * Works on a leased comparison with a document, to its end or for a turn: compares, then applies what differs, pass by pass.
 * Every write has a key of its own, so that a run which goes on after a crash writes nothing twice.
 */
export function runCatalog({ em, outbox, rpc, now, turnMs, logger }: RunParts) {
  const differences = findDifferences({ rpc, now });
  const complete = completeSync(outbox);

  const compare = async (sync: LeasedSync, run: CatalogRun): Promise<void> => {
    const { wanted, findings } = await differences(sync, run);
    if (run.reportId !== null) requireUnchanged(await allFindings(em.fork(), { ...sync, id: run.reportId }), findings);
    const live = await countSubscriptions(rpc, sync, findings);
    await em.fork().transactional(tx => saveFindings(tx, sync, findings, { wanted, live }));
  };

  const call = async ({ sync, run }: Applying, change: CatalogWrite, purpose: string): Promise<string | null> => {
    const { id, refused } = await rpc.call(WriteCatalog, { ...writeOf(sync, run, purpose), change }, WRITE_MS);
    if (refused) throw new Refused(refused.message);
    return id;
  };

  const savePortal = async ({ sync, run, wanted }: Applying): Promise<void> => {
    const { teamId, projectId } = sync;
    const records = await readRecords(rpc, { teamId, projectId });
    const portalConfig = wanted.portal
      ? toPortalConfig(wanted.portal, records)
      : withNewestPrices(await rpc.call(FindPortalConfig, { teamId, projectId }), records);
    await rpc.call(SetPortalConfig, { ...writeOf(sync, run, 'portal'), portalConfig });
  };
  const saveSettings = async ({ sync, run, wanted }: Applying): Promise<void> => {
    if (wanted.settings) await rpc.call(SetGraceDays, { ...writeOf(sync, run, 'settings'), ...wanted.settings });
  };

  /** Makes the writes of one pass for a finding; returns the id of its record: of what is replaced, that of the old one. */
  const write = async (applying: Applying, finding: CatalogFinding, pass: CatalogPass): Promise<string | null> => {
    if (pass === 'portal') await savePortal(applying);
    if (pass === 'settings') await saveSettings(applying);
    let { id } = finding;
    for (const [index, change] of writesOf(finding, applying.wanted, pass).entries())
      id = (await call(applying, change, `${finding.type} ${finding.key} ${pass} ${index}`)) ?? id;
    return finding.action === 'replace' ? finding.id : id;
  };

  const extendLease = (sync: LeasedSync): Promise<boolean> =>
    updateHeld(em.fork(), sync, `due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`, []);

  const applyBatch = async (applying: Applying, { phase, after }: Stage & { readonly phase: CatalogPass }) => {
    const { sync, wanted } = applying;
    const findings = await nextFindings(em.fork(), sync, typesOf(phase), { after, limit: BATCH });
    for (const finding of findings) {
      const passes = passesOf(finding, wanted);
      if (!passes.includes(phase)) continue;
      // One that was canceled writes no more beside the next run.
      if (!(await extendLease(sync))) return null;
      const { type, key } = finding;
      try {
        const id = await write(applying, finding, phase);
        await noteOutcome(em.fork(), sync, { type, key, id, isDone: passes.at(-1) === phase, reason: null });
      } catch (err) {
        const refusal = refusalOf(err);
        if (refusal === null) throw err;
        await noteOutcome(em.fork(), sync, { type, key, id: null, isDone: true, reason: refusal });
      }
    }
    const last = findings.at(-1);
    return findings.length === BATCH && last ? `${last.type} ${last.key}` : null;
  };

  const step = async (sync: LeasedSync, stage: Stage): Promise<Stepped<Stage>> => {
    const { teamId, projectId, id: syncId } = sync;
    const run = await em.fork().findOneOrFail(CatalogRun, { syncId, teamId, projectId });
    const { phase } = stage;
    if (phase === 'compare') await compare(sync, run);
    else {
      const wanted = itemsOf(run.document ?? { version: 1 });
      const after = await applyBatch({ sync, run, wanted }, { ...stage, phase });
      if (after !== null) return { stage: { phase, after } };
    }
    const next = sync.mode === 'apply' ? PASSES[phase === 'compare' ? 0 : PASSES.indexOf(phase) + 1] : undefined;
    if (next) return { stage: { phase: next, after: null } };
    await complete(sync);
    logger.info({ teamId, syncId, mode: sync.mode }, 'catalog compared');
    return 'ended';
  };

  return (sync: LeasedSync, signal: AbortSignal): Promise<void> =>
    workInTurns<LeasedSync, Stage>({
      em,
      updateHeld,
      name: 'catalog',
      failedMessage: 'The comparison failed; the log of the webhooks service says why.',
      // The phases of a sync with a document.
      stageOf: ({ stage: { phase, after } }) => ({ phase: phase as CatalogPhase, after }),
      columnsOf: ({ phase, after }) => ({ phase, after }),
      step,
      turnMs,
      logger,
    })(sync, signal);
}

/** What the processor or a rule of ours refuses: it would refuse it again. */
class Refused extends Error {}

const refusalOf = (err: unknown): string | null =>
  err instanceof Refused || (err instanceof Problem && !err.isTransient) ? err.message : null;

/** Returns what every write of a run carries: who started it, and a key that a repeat has, too. */
function writeOf({ id, teamId, projectId }: LeasedSync, { audit }: CatalogRun, purpose: string) {
  const operationKey = createHash('sha256').update(`${id} ${purpose}`).digest('hex');
  return {
    teamId,
    projectId,
    operationKey,
    audit: { ...audit, id: derivedId(AuditEntryId, operationKey, 'audit-entry') },
  };
}
