import type { Feature, FeatureCreate } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Options, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { TYPES } from './feature-words.ts';

/** Defines a feature. */
export function NewFeatureDialog({ onClose }: { readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const [type, setType] = useState<string>('boolean');
  const create = useWrite({
    write: async (fields: FormData) => billing.features.create(readFeature(fields)),
    stale: [key('features')],
    done: 'The feature is defined. Say which products give it.',
    onDone: feature => {
      onClose();
      openPage(`features/${feature.key}`);
    },
  });
  const problems = problemsOf(create.error, ['key', 'name', 'values']);
  return (
    <FormDialog
      title="New feature"
      lead={<p className="muted">Its key, its type and its values never change.</p>}
      action="Define the feature"
      write={create}
      problems={problems}
      onClose={onClose}
    >
      <TextField label="Name" name="name" maxLength={250} required problem={problems.of.name} />
      <TextField
        label="Key"
        name="key"
        maxLength={80}
        required
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        hint="By which your product checks it: a-z, 0-9, “.”, “_” and “-”."
        problem={problems.of.key}
      />
      <SelectField label="What it is" name="type" value={type} onChange={event => setType(event.target.value)}>
        <Options of={TYPES} />
      </SelectField>
      {type === 'limit' && (
        <SelectField label="Given several times" name="merge">
          <option value="max">The highest counts</option>
          <option value="sum">They add up</option>
        </SelectField>
      )}
      {type === 'value' && (
        <TextAreaField
          label="Values"
          name="values"
          rows={4}
          required
          hint="One a line, the lowest first."
          problem={problems.of.values}
        />
      )}
    </FormDialog>
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
export function RenameFeatureDialog({ feature, onClose }: { readonly feature: Feature; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const rename = useWrite({
    write: (fields: FormData) => billing.features.update(feature.key, { name: textOf(fields, 'name') }),
    stale: [key('features')],
    done: 'The feature is renamed.',
    onDone: onClose,
  });
  const problems = problemsOf(rename.error, ['name']);
  return (
    <FormDialog title="Rename the feature" action="Rename" write={rename} problems={problems} onClose={onClose}>
      <TextField
        label="Name"
        name="name"
        maxLength={250}
        required
        defaultValue={feature.name}
        problem={problems.of.name}
      />
    </FormDialog>
  );
}
