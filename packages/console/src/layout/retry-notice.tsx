import { useEffect, useState, useSyncExternalStore } from 'react';
import { retries, type Waiting } from '#api/retries.ts';
import { Icon } from '#ui/icon.tsx';

/** Says while a request waits for its next attempt that it does, why, and how long. */
export function RetryNotice() {
  const waiting = useSyncExternalStore(retries.subscribe, retries.current);
  return (
    <div className="retry-notice" role="status">
      {waiting && <Countdown key={waiting.until} waiting={waiting} />}
    </div>
  );
}

function Countdown({ waiting: { isBusy, until } }: { readonly waiting: Waiting }) {
  const [left, setLeft] = useState(() => secondsUntil(until));
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsUntil(until)), 250);
    return () => clearInterval(timer);
  }, [until]);
  return (
    <div className="toast">
      <Icon name="retry" />
      <div>
        {isBusy ? 'The service is busy' : 'The service can’t be reached'}; trying again
        {/* Read once, not each second. */}
        <span aria-hidden="true"> in {left} s</span>
      </div>
    </div>
  );
}

const secondsUntil = (at: number): number => Math.max(0, Math.ceil((at - Date.now()) / 1_000));
