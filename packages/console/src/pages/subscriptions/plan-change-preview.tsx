import type { PlanChangePreview } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery } from '#api/queries.ts';
import { balanceRows, PreviewedLines } from '#resource/preview.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';
import { formatValue, isMore } from '../features/feature-words.ts';

const DIRECTIONS: Readonly<Record<PlanChangePreview['direction'], string>> = {
  up: 'It costs more a month than before.',
  down: 'It costs less a month than before.',
  same: 'It costs as much a month as before.',
};

/** What a change costs, in Stripe’s own figures, and what the customer gains and loses. */
export function PlanChangePreviewDetails({ preview }: { readonly preview: PlanChangePreview }) {
  const { currency, amountDue, creditGranted, nextInvoice } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>{amountDue > 0 ? <>Due today: {money(amountDue)}.</> : 'Nothing is due today.'}</strong>{' '}
        {DIRECTIONS[preview.direction]}
      </p>
      {!preview.exact && <p className="muted">A new period begins, so that the amount may still change a little.</p>}
      <PreviewedLines lines={preview.lines.map(toShownLine)} sums={preview} money={money} />
      <Details
        narrow
        of={{
          ...balanceRows(preview, money),
          'To the balance': creditGranted === 0 ? undefined : money(creditGranted),
          'Takes effect': <Time at={preview.effectiveAt} show="time" />,
          'Next invoice': nextInvoice ? (
            <>
              {money(nextInvoice.total)} on <Time at={nextInvoice.at} />
            </>
          ) : (
            'None: the subscription ends before'
          ),
          ...useEntitlementChanges(preview.entitlementChanges),
        }}
      />
    </>
  );
}

/** A line by its words, or the period that it bills. */
const toShownLine = ({ description, amount, periodStart, periodEnd }: PlanChangePreview['lines'][number]) => ({
  amount,
  text: description ?? (
    <>
      <Time at={periodStart} /> – <Time at={periodEnd} />
    </>
  ),
});

/** What the customer gains and loses, each by its words. */
function useEntitlementChanges(changes: PlanChangePreview['entitlementChanges']): Readonly<Record<string, ReactNode>> {
  const { data: features = [] } = useQuery(featuresQuery(useProject()));
  const shown = changes.map(({ feature: key, from, to }) => {
    const feature = features.find(it => it.key === key);
    const words = (value: typeof to) => (value === null ? 'nothing' : formatValue(value, feature?.type));
    const text = `${feature?.name ?? key}: ${words(from)} → ${words(to)}`;
    return { key, text, isGain: isMore(to, from, feature?.values ?? null) };
  });
  const listOf = (some: typeof shown) =>
    some.length === 0 ? undefined : (
      <ul>
        {some.map(({ key, text }) => (
          <li key={key}>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    );
  return {
    'Customer gains': listOf(shown.filter(({ isGain }) => isGain)),
    'Customer loses': listOf(shown.filter(({ isGain }) => !isGain)),
  };
}
