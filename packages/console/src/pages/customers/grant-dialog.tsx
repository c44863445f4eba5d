import type { Feature, Grant } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime, localText } from '#ui/local-text.ts';
import { FeatureSelect } from '../features/feature-name.tsx';
import { ValueField, valueOf } from '../features/value-field.tsx';

interface GrantDialogProps {
  readonly customerId: string;
  /** What can be given: at least one. */
  readonly features: readonly Feature[];
  readonly grants: readonly Grant[];
  /** The grant to change; another one's feature is chosen in the dialog. */
  readonly changed?: Grant | undefined;
  readonly onClose: () => void;
}

/** Gives a customer a feature, until a time if it has one. */
export function GrantDialog({ customerId, features, grants, changed, onClose }: GrantDialogProps) {
  const { billing, key } = useProject();
  const [featureKey, setFeatureKey] = useState(changed?.key ?? features[0]?.key);
  const feature = features.find(it => it.key === featureKey);
  const grant = grants.find(it => it.key === featureKey);
  const give = useWrite({
    write: async (fields: FormData) => {
      if (!feature) return undefined;
      const expiresAt = editedTime(textOf(fields, 'expiresAt'), grant?.expiresAt ?? null);
      const note = textOf(fields, 'note') || null;
      return billing.grants.set(customerId, feature.key, { value: valueOf(fields, feature), expiresAt, note });
    },
    stale: [key('grants', customerId), key('state', customerId)],
    done: given =>
      given?.expiresAt && new Date(given.expiresAt) <= new Date()
        ? 'The end has passed already: the customer has nothing of it.'
        : changed
          ? 'The grant is changed.'
          : 'The customer has it at once.',
    onDone: onClose,
  });
  const problems = problemsOf(give.error, ['value', 'expiresAt', 'note']);
  return (
    <FormDialog
      title={changed ? `Change the grant of ${feature?.name ?? changed.key}` : 'Give a feature'}
      lead={<p className="muted">A grant never lowers what the customer has bought.</p>}
      action={changed ? 'Save' : 'Give the feature'}
      write={give}
      problems={problems}
      onClose={onClose}
    >
      {!changed && <FeatureSelect features={features} value={featureKey} onChange={setFeatureKey} />}
      {feature && (
        <div key={featureKey} className="stack">
          <ValueField feature={feature} defaultValue={grant?.value} problem={problems.of.value} />
          <TextField
            label="Until"
            name="expiresAt"
            type="datetime-local"
            defaultValue={grant?.expiresAt ? localText(new Date(grant.expiresAt)) : undefined}
            hint="Without an end unless given."
            problem={problems.of.expiresAt}
          />
          <TextField
            label="Note"
            name="note"
            maxLength={500}
            dir="auto"
            defaultValue={grant?.note ?? undefined}
            hint="Why, for your team."
            problem={problems.of.note}
          />
        </div>
      )}
    </FormDialog>
  );
}
