import type { Feature, ProductFeature } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { FeatureSelect } from './feature-name.tsx';
import { giverIdOf, giverName, type Giver } from './giver.ts';
import { ValueField, valueOf } from './value-field.tsx';

interface GiveDialogProps {
  /** What can be given, and by what: of each at least one. */
  readonly features: readonly Feature[];
  readonly givers: readonly Giver[];
  /** What they give now. */
  readonly given: readonly ProductFeature[];
  /** The one to change; another one is chosen in the dialog. */
  readonly changed?: ProductFeature;
  readonly onClose: () => void;
}

/** Sets what a product or a price gives of a feature. */
export function GiveDialog({ features, givers, given, changed, onClose }: GiveDialogProps) {
  const { billing, key } = useProject();
  const [featureKey, setFeatureKey] = useState(changed?.key ?? features[0]?.key);
  const [giverId, setGiverId] = useState(changed ? giverIdOf(changed) : givers[0]?.id);
  const feature = features.find(it => it.key === featureKey);
  const giver = givers.find(({ id }) => id === giverId);
  const now = given.find(it => it.key === featureKey && giverIdOf(it) === giverId);
  const set = useWrite({
    write: async (fields: FormData) => {
      if (!feature || !giver) return undefined;
      const per = textOf(fields, 'per') === 'quantity' ? 'quantity' : 'subscription';
      const body = { value: valueOf(fields, feature), per } as const;
      return giver.isPrice
        ? billing.priceFeatures.set(giver.id, feature.key, body)
        : billing.productFeatures.set(giver.id, feature.key, body);
    },
    stale: [key('given')],
    done: 'Changed, at once for all who subscribe to it.',
    onDone: onClose,
  });
  const problems = problemsOf(set.error, ['value']);
  return (
    <FormDialog
      title={changed ? `Change what ${giver ? giverName(giver) : 'it'} gives` : 'Give a feature'}
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
          value={giverId}
          hint="What a price gives counts instead of what its product gives."
          onChange={event => setGiverId(event.target.value)}
        >
          {givers.map(one => (
            <option key={one.id} value={one.id}>
              {giverName(one)}
            </option>
          ))}
        </SelectField>
      )}
      {feature && (
        <ValueField
          key={`${featureKey} ${giverId}`}
          feature={feature}
          defaultValue={now?.value}
          problem={problems.of.value}
        />
      )}
      {feature?.type === 'limit' && (
        <SelectField key={`per ${featureKey} ${giverId}`} label="Counted" name="per" defaultValue={now?.per}>
          <option value="subscription">Once for the subscription</option>
          <option value="quantity">For each of the quantity</option>
        </SelectField>
      )}
    </FormDialog>
  );
}
