import { MultiBar, Presets, SingleBar } from 'cli-progress';
import type { PriceMigration, Sync } from '@billing/client';

/** Shows how far a sync is, type by type. */
export interface SyncProgress {
  show(sync: Pick<Sync, 'types' | 'progress' | 'counts'>): void;
  stop(): void;
}

/** A bar for each type on a terminal; elsewhere a line once all objects of a type are read. */
export function showProgress(out: NodeJS.WriteStream): SyncProgress {
  return out.isTTY ? barsOn(out) : linesOn(out);
}

function barsOn(out: NodeJS.WriteStream): SyncProgress {
  const options = { stream: out, format: '{type} {bar} {decided} of {read} compared', hideCursor: true };
  const bars = new MultiBar(options, Presets.shades_classic);
  const byType = new Map<string, SingleBar>();
  return {
    show({ types, progress, counts }) {
      const width = Math.max(...types.map(({ length }) => length));
      for (const type of types) {
        const { applied: _, ...outcomes } = { applied: 0, ...counts[type] };
        const decided = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
        // The counts may be of a moment after the progress.
        const read = Math.max(progress[type]?.read ?? 0, decided);
        const shown = { type: type.padEnd(width), read, decided };
        const bar = byType.get(type) ?? bars.create(Math.max(read, 1), decided, shown);
        byType.set(type, bar);
        bar.setTotal(Math.max(read, 1));
        bar.update(decided, shown);
      }
    },
    stop: () => bars.stop(),
  };
}

function linesOn(out: NodeJS.WriteStream): SyncProgress {
  const printed = new Set<string>();
  return {
    show({ types, progress }) {
      for (const type of types) {
        const total = progress[type]?.total ?? null;
        if (total === null || printed.has(type)) continue;
        printed.add(type);
        out.write(`${type}: ${total} read\n`);
      }
    },
    stop: () => undefined,
  };
}

/** A bar on a terminal; elsewhere a line once the subscriptions are counted. */
export function showMigrationProgress(out: NodeJS.WriteStream) {
  const format = '{bar} {value} of {total} subscriptions';
  const bar = out.isTTY ? new SingleBar({ stream: out, format, hideCursor: true }, Presets.shades_classic) : null;
  let isCounted = false;
  return {
    show({ progress: { done, total } }: Pick<PriceMigration, 'progress'>) {
      if (total === null) return;
      if (!isCounted) {
        bar?.start(total, done);
        if (!bar) out.write(`${total} subscriptions\n`);
      }
      isCounted = true;
      bar?.update(done);
    },
    stop: () => bar?.stop(),
  };
}
