import type { Sync } from '@billing/client';
import { isOpen, progressText } from './sync-counts.ts';

const TITLES: Readonly<Record<Sync['types'][number], string>> = {
  product: 'Products',
  price: 'Prices',
  customer: 'Customers',
  subscription: 'Subscriptions',
  invoice: 'Invoices',
  payment: 'Payments',
};

/** How many objects of each type are read and compared, and what was found. */
export function SyncProgress({ sync }: { readonly sync: Sync }) {
  const { types, progress, counts } = sync;
  const isRunning = isOpen(sync);
  return (
    <ul className="sync-types">
      {types.map(type => {
        const { applied = 0, ...outcomes } = counts[type] ?? {};
        const compared = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
        const { read = 0, total = null } = progress[type] ?? {};
        const differing = compared - (counts[type]?.same ?? 0);
        return (
          <li key={type}>
            <label>
              <span>{TITLES[type]}</span>
              {/* How full it is cannot be known before the total is. */}
              <progress value={isRunning && total === null ? 0 : compared} max={Math.max(total ?? read, compared, 1)} />
            </label>
            <span className="muted small">
              {progressText({ compared, read, total, isRunning })}
              {differing > 0 && `, ${differing} found`}
              {applied > 0 && `, ${applied} applied`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
