import type { Sync } from '@billing/client';
import { isOpen, progressText, totalsOfType } from './sync-counts.ts';
import { SYNC_TYPE } from './types.ts';

/** How many objects of each type are read and compared, and what was found. */
export function SyncProgress({ sync }: { readonly sync: Sync }) {
  const isRunning = isOpen(sync);
  return (
    <ul className="sync-types">
      {sync.types.map(type => {
        const { compared, found, applied } = totalsOfType(sync, type);
        const { read = 0, total = null } = sync.progress[type] ?? {};
        return (
          <li key={type}>
            <label>
              <span>{SYNC_TYPE[type].name}</span>
              {/* How full it is cannot be known before the total is. */}
              <progress value={isRunning && total === null ? 0 : compared} max={Math.max(total ?? read, compared, 1)} />
            </label>
            <span className="muted small">
              {progressText({ compared, read, total, isRunning })}
              {found > 0 && `, ${found} found`}
              {applied > 0 && `, ${applied} applied`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
