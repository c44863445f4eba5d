import type { PlanChangePreview } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery } from '#api/queries.ts';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';
import { formatValue, isMore } from '../features/feature-words.ts';
import { DueDetails } from './due-details.tsx';

const DIRECTIONS: Readonly<Record<PlanChangePreview['direction'], string>> = {
  up: 'It costs more a month than before.',
  down: 'It costs less a month than before.',
  same: 'It costs as much a month as before.',
};

/** What a change costs, in Stripe’s own figures, and what the customer gains and loses. */
export function PlanChangePreviewDetails({ preview }: { readonly preview: PlanChangePreview }) {
  const { currency, direction, effectiveAt, nextInvoice } = preview;
  return (
    <DueDetails
      preview={preview}
      note={DIRECTIONS[direction]}
      rows={{
        'Takes effect': <Time at={effectiveAt} show="time" />,
        'Next invoice': nextInvoice ? (
          <>
            <span className="num">{formatMoney(nextInvoice.total, currency)}</span> on <Time at={nextInvoice.at} />
          </>
        ) : (
          'None: the subscription ends before'
        ),
        ...useEntitlementChanges(preview.entitlementChanges),
      }}
    />
  );
}

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
