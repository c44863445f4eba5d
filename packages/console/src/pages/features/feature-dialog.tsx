import type { Feature, FeatureCreate } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { choice, control } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { TextAreaField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { TYPES } from './feature-words.ts';

/** Which of several limits counts. */
const MERGES = { max: 'The highest counts', sum: 'They add up' };
const NAME = { name: 'name', label: 'Name', maxLength: 250, required: true } as const;

/** Defines a feature. */
export function NewFeatureDialog() {
  const { billing, key } = useProject();
  const [type, setType] = useState<string>('boolean');
  return (
    <WriteDialog
      title="New feature"
      lead="Its key, its type and its values never change."
      action="Define the feature"
      write={async fields => billing.features.create(readFeature(fields))}
      stale={[key('features')]}
      done="The feature is defined. Say which products give it."
      opens={feature => `features/${feature.key}`}
      fields={[
        NAME,
        {
          name: 'key',
          label: 'Key',
          maxLength: 80,
          required: true,
          autoCapitalize: 'none',
          autoCorrect: 'off',
          spellCheck: false,
          hint: 'By which your product checks it: a-z, 0-9, “.”, “_” and “-”.',
        },
        choice({
          name: 'type',
          label: 'What it is',
          options: TYPES,
          value: type,
          onChange: event => setType(event.target.value),
        }),
        type === 'limit' && choice({ name: 'merge', label: 'Given several times', options: MERGES }),
        type === 'value' &&
          control(TextAreaField, {
            name: 'values',
            label: 'Values',
            rows: 4,
            required: true,
            hint: 'One a line, the lowest first.',
          }),
      ]}
    />
  );
}

function readFeature(fields: FormData): FeatureCreate {
  const described = { key: textOf(fields, 'key'), name: textOf(fields, 'name') };
  const type = textOf(fields, 'type');
  if (type === 'limit') return { ...described, type, merge: textOf(fields, 'merge') === 'sum' ? 'sum' : 'max' };
  if (type !== 'value') return { ...described, type: 'boolean' };
  const values = textOf(fields, 'values').split('\n');
  return { ...described, type, values: values.map(value => value.trim()).filter(value => value !== '') };
}

/** Changes a feature's name. */
export function RenameFeatureDialog({ feature }: { readonly feature: Feature }) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="Rename the feature"
      action="Rename"
      write={fields => billing.features.update(feature.key, { name: textOf(fields, 'name') })}
      stale={[key('features')]}
      done="The feature is renamed."
      values={feature}
      fields={[NAME]}
    />
  );
}
