import type { WebhookEndpoint } from '@billing/client';
import { formatCount } from '#ui/amount.ts';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';

/** As far as waiting events are counted. */
const MAX_LAG = 10_000;

/** How many events wait for an endpoint, and since when. */
export function Lag({ of: { events, oldestAt } }: { readonly of: WebhookEndpoint['lag'] }) {
  if (events === 0) return <span className="muted">none</span>;
  return (
    <span className="num">
      {formatCount(events)}
      {events >= MAX_LAG && ' or more'}
      {oldestAt && (
        <span className="muted">
          , oldest <Time at={oldestAt} show="relative" />
        </span>
      )}
    </span>
  );
}

const DISABLED: Readonly<Record<NonNullable<WebhookEndpoint['disabledReason']>, string>> = {
  manual: 'It is disabled.',
  failing: 'It was disabled, because nothing has arrived for 120 hours.',
  gone: 'It was disabled, because it has responded with 410 Gone.',
};

/** Why an endpoint gets nothing, or little, and what follows; nothing for one that works. */
export function StateNotice({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { status, disabledReason, failingSince } = endpoint;
  if (status === 'failing')
    return (
      <Notice tone="bad">
        It has failed since <Time at={failingSince} show="time" />. One event is tried at a time, at least hourly; once
        one arrives, what waits follows in order. Once it works, send a test: if that arrives, the next event is tried
        at once.
      </Notice>
    );
  if (status === 'disabled')
    return (
      <Notice tone={disabledReason === 'manual' ? 'warn' : 'bad'}>
        {DISABLED[disabledReason ?? 'manual']} Enable it, and it gets what it has missed, as long as events are kept.
      </Notice>
    );
  return null;
}
