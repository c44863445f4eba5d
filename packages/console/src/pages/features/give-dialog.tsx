import type { Feature, ProductFeature } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { FeatureSelect } from './feature-name.tsx';
import { idOfProductOrPrice, nameOfProductOrPrice, type ProductOrPrice } from './product-or-price.ts';
import { ValueField, valueOf } from './value-field.tsx';

interface GiveDialogProps {
  /** What can be given, and by which products and prices: of each at least one. */
  readonly features: readonly Feature[];
  readonly sold: readonly ProductOrPrice[];
  /** What they give now. */
  readonly given: readonly ProductFeature[];
  /** The one to change; another one is chosen in the dialog. */
  readonly changed?: ProductFeature | undefined;
  readonly onClose: () => void;
}

/** Sets what a product or a price gives of a feature. */
export function GiveDialog({ features, sold, given, changed, onClose }: GiveDialogProps) {
  const { billing, key } = useProject();
  const [featureKey, setFeatureKey] = useState(changed?.key ?? features[0]?.key);
  const [soldId, setSoldId] = useState(changed ? idOfProductOrPrice(changed) : sold[0]?.id);
  const feature = features.find(it => it.key === featureKey);
  const by = sold.find(({ id }) => id === soldId);
  const now = given.find(it => it.key === featureKey && idOfProductOrPrice(it) === soldId);
  const set = useWrite({
    write: async (fields: FormData) => {
      if (!feature || !by) return undefined;
      const per = textOf(fields, 'per') === 'quantity' ? 'quantity' : 'subscription';
      const resource = by.price ? billing.priceFeatures : billing.productFeatures;
      return resource.set(by.id, feature.key, { value: valueOf(fields, feature), per });
    },
    stale: [key('given')],
    done: 'Changed, at once for all who subscribe to it.',
    onDone: onClose,
  });
  const problems = problemsOf(set.error, ['value']);
  return (
    <FormDialog
      title={changed ? `Change what ${by ? nameOfProductOrPrice(by) : 'it'} gives` : 'Give a feature'}
      action={changed ? 'Save' : 'Give the feature'}
      write={set}
      problems={problems}
      onClose={onClose}
    >
      {!changed && features.length > 1 && (
        <FeatureSelect features={features} value={featureKey} onChange={setFeatureKey} />
      )}
      {!changed && (
        <SelectField
          label="Given by"
          value={soldId}
          hint="What a price gives counts instead of what its product gives."
          onChange={event => setSoldId(event.target.value)}
        >
          {sold.map(one => (
            <option key={one.id} value={one.id}>
              {nameOfProductOrPrice(one)}
            </option>
          ))}
        </SelectField>
      )}
      {feature && (
        <div key={`${featureKey} ${soldId}`} className="stack">
          <ValueField feature={feature} defaultValue={now?.value} problem={problems.of.value} />
          {feature.type === 'limit' && (
            <SelectField label="Counted" name="per" defaultValue={now?.per}>
              <option value="subscription">Once for the subscription</option>
              <option value="quantity">For each of the quantity</option>
            </SelectField>
          )}
        </div>
      )}
    </FormDialog>
  );
}
