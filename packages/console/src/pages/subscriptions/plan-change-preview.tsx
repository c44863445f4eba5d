import type { PlanChangePreview } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { featuresQuery } from '#api/queries.ts';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';
import { formatValue, isMore } from '../features/feature-words.ts';

interface PreviewProps {
  readonly preview: PlanChangePreview;
}

/** What a change costs, in Stripe's own figures, and what the customer gains and loses. */
export function PlanChangePreviewDetails({ preview }: PreviewProps) {
  const { currency, amountDue, lines, subtotal, discount, tax, creditApplied, creditGranted, total, exact } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  const some = (amount: number) => (amount === 0 ? undefined : money(amount));
  const isSum = lines.length > 1 || discount !== 0 || tax !== 0;
  return (
    <>
      <p role="status">
        <strong>{amountDue > 0 ? <>Due today: {money(amountDue)}</> : 'Nothing is due today'}</strong>
        <span className="muted">, {DIRECTIONS[preview.direction]}</span>
      </p>
      {!exact && <p className="muted">A new period begins, so that the amount may still change a little.</p>}
      <ul className="invoice-lines">
        {lines.map(({ description, amount, periodStart, periodEnd }, index) => (
          // A preview does not change, and a line has no id.
          // eslint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span dir="auto">
              {description ?? (
                <>
                  <Time at={periodStart} /> – <Time at={periodEnd} />
                </>
              )}
            </span>
            {money(amount)}
          </li>
        ))}
      </ul>
      <Details
        narrow
        of={{
          Subtotal: isSum ? money(subtotal) : undefined,
          Discounts: some(-discount),
          Taxes: some(tax),
          Total: isSum ? money(total) : undefined,
          'Taken from the balance': some(creditApplied),
          'Added to the balance': some(creditGranted),
          'Takes effect': <Time at={preview.effectiveAt} show="time" />,
          'Next invoice': preview.nextInvoice ? (
            <>
              {money(preview.nextInvoice.total)} on <Time at={preview.nextInvoice.at} />
            </>
          ) : (
            'None: the subscription ends before'
          ),
        }}
      />
      <EntitlementChanges changes={preview.entitlementChanges} />
    </>
  );
}

const DIRECTIONS: Readonly<Record<PlanChangePreview['direction'], string>> = {
  up: 'and more each month than before',
  down: 'and less each month than before',
  same: 'and as much each month as before',
};

function EntitlementChanges({ changes }: { readonly changes: PlanChangePreview['entitlementChanges'] }) {
  const { data: features = [] } = useQuery(featuresQuery(useProject()));
  const featureOf = new Map<string, (typeof features)[number]>(features.map(feature => [feature.key, feature]));
  const shown = changes.map(({ feature: key, from, to }) => {
    const feature = featureOf.get(key);
    const words = (value: typeof to) => (value === null ? 'nothing' : formatValue(value, feature?.type));
    return {
      key,
      isGain: isMore(to, from, feature?.values ?? null),
      text: `${feature?.name ?? key}: ${words(from)} → ${words(to)}`,
    };
  });
  const listOf = (isGain: boolean) => {
    const some = shown.filter(it => it.isGain === isGain);
    return some.length === 0 ? undefined : (
      <ul>
        {some.map(({ key, text }) => (
          <li key={key}>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    );
  };
  return <Details narrow of={{ 'The customer gains': listOf(true), 'The customer loses': listOf(false) }} />;
}
