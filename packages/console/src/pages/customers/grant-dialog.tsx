import type { Feature, Grant } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { control, FormFields } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime, localText } from '#ui/local-text.ts';
import { FeatureSelect } from '../features/feature-name.tsx';
import { ValueField, valueOf } from '../features/value-field.tsx';

interface TakeBackProps {
  readonly customerId: string;
  readonly grant: Grant;
  /** Of the feature. */
  readonly name: string;
}

/** Takes back what a customer was given by hand. */
export function TakeBack({ customerId, grant, name }: TakeBackProps) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Take the grant back"
      action="Take back"
      write={() => billing.grants.remove(customerId, grant.key)}
      stale={[key('grants', customerId), key('state', customerId)]}
      done="The grant is taken back."
    >
      The customer has of <bdi>{name}</bdi> only what the subscriptions give, at once.
    </ConfirmWrite>
  );
}

interface GrantDialogProps {
  readonly customerId: string;
  /** What can be given: at least one. */
  readonly features: readonly Feature[];
  readonly grants: readonly Grant[];
  /** The grant to change; another one's feature is chosen in the dialog. */
  readonly changed?: Grant;
}

/** Gives a customer a feature, until a time if it has one. */
export function GrantDialog({ customerId, features, grants, changed }: GrantDialogProps) {
  const { billing, key } = useProject();
  const [featureKey, setFeatureKey] = useState(changed?.key ?? features[0]?.key);
  const feature = features.find(it => it.key === featureKey);
  const grant = grants.find(it => it.key === featureKey);
  const give = async (fields: FormData) => {
    if (!feature) return undefined;
    const expiresAt = editedTime(textOf(fields, 'expiresAt'), grant?.expiresAt ?? null);
    const note = textOf(fields, 'note') || null;
    return billing.grants.set(customerId, feature.key, { value: valueOf(fields, feature), expiresAt, note });
  };
  const doneText = (given: Grant | undefined) => {
    if (given?.expiresAt && new Date(given.expiresAt) <= new Date())
      return 'The end has passed already: the customer has nothing of it.';
    return changed ? 'The grant is changed.' : 'The customer has it at once.';
  };
  return (
    <WriteDialog
      title={changed ? `Change the grant of ${feature?.name ?? changed.key}` : 'Give a feature'}
      lead="A grant never lowers what the customer has bought."
      action={changed ? 'Save' : 'Give the feature'}
      write={give}
      stale={[key('grants', customerId), key('state', customerId)]}
      done={doneText}
      fields={[
        !changed && control(FeatureSelect, { name: 'feature', features, value: featureKey, onChange: setFeatureKey }),
        feature && {
          kind: 'other',
          names: ['value', 'expiresAt', 'note'],
          show: problems => (
            <div key={featureKey} className="stack">
              <ValueField feature={feature} defaultValue={grant?.value} problem={problems['value']} />
              <FormFields
                problems={problems}
                values={{ note: grant?.note, expiresAt: grant?.expiresAt && localText(new Date(grant.expiresAt)) }}
                of={[
                  { name: 'expiresAt', label: 'Until', type: 'datetime-local', hint: 'Without an end unless given.' },
                  { name: 'note', label: 'Note', maxLength: 500, dir: 'auto', hint: 'Why, for your team.' },
                ]}
              />
            </div>
          ),
        },
      ]}
    />
  );
}
