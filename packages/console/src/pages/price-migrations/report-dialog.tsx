import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useFilters } from '#layout/filters.tsx';
import { Loading } from '#layout/loading.tsx';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { MetadataFields, metadataOf } from '#ui/metadata-fields.tsx';
import { timeOf } from '../coupons/limit-fields.tsx';
import { PriceOptions } from '../products/price-options.tsx';
import { targetsOf } from './target-prices.ts';

const FIELDS = ['fromPriceId', 'toPriceId', 'filter.createdBefore', 'filter.metadata'] as const;
/** By the beginnings of their codes. */
const REFUSALS = {
  no_change: 'toPriceId',
  price_inactive: 'toPriceId',
  product_inactive: 'toPriceId',
  price_type_mismatch: 'toPriceId',
  interval_mismatch: 'toPriceId',
} as const;

/** Starts the report of a migration, which changes nothing. */
export function ReportDialog({ onClose }: { readonly onClose: () => void }) {
  const scope = useProject();
  const open = useOpenPage();
  const query = useQuery(pricesQuery(scope));
  const [fromId, setFromId] = useState(useFilters().text('from'));
  const start = useWrite({
    write: async (fields: FormData) =>
      scope.billing.priceMigrations.create({
        mode: 'report',
        fromPriceId: textOf(fields, 'from'),
        toPriceId: textOf(fields, 'to'),
        keepDiscounts: fields.has('keepDiscounts'),
        filter: { createdBefore: timeOf(fields, 'createdBefore'), metadata: metadataOf(fields) },
      }),
    stale: [scope.key('price-migrations')],
    onDone: ({ id }) => {
      onClose();
      open(`price-migrations/${id}`);
    },
  });
  const problems = problemsOf(start.error, FIELDS, REFUSALS);
  const recurring = (query.data ?? []).filter(({ type }) => type === 'recurring');
  return (
    <FormDialog
      title="Report of a price migration"
      lead={<p className="muted">It changes nothing: it shows which subscriptions would change, and to what.</p>}
      action="Start the report"
      write={start}
      problems={problems}
      onClose={onClose}
    >
      <Loading query={query} lines={2} />
      <SelectField
        label="From the price"
        name="from"
        required
        value={fromId}
        onChange={event => setFromId(event.target.value)}
        problem={problems.of.fromPriceId}
      >
        <option value="">Choose one</option>
        <PriceOptions of={recurring} />
      </SelectField>
      <SelectField
        label="To the price"
        name="to"
        required
        hint="For sale, in the same currency."
        problem={problems.of.toPriceId}
      >
        <option value="">Choose one</option>
        <PriceOptions of={targetsOf(recurring, fromId)} />
      </SelectField>
      <label className="check">
        <input type="checkbox" name="keepDiscounts" defaultChecked />
        Keep the discounts of subscriptions
      </label>
      <details className="more">
        <summary>Only some of its subscriptions</summary>
        <div className="stack">
          <TextField
            label="Created before"
            name="createdBefore"
            type="datetime-local"
            hint="All of them unless given."
            problem={problems.of['filter.createdBefore']}
          />
          <MetadataFields hint="Only subscriptions that have all of these." problem={problems.of['filter.metadata']} />
        </div>
      </details>
    </FormDialog>
  );
}
