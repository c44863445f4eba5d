import type { UseMutationResult } from '@tanstack/react-query';
import { problemsOf } from '#api/failure.ts';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';

interface RenameFormProps {
  readonly label: string;
  /** What the name is; undefined until that is known. */
  readonly name: string | undefined;
  /** What the button says. */
  readonly action: string;
  readonly write: UseMutationResult<unknown, Error, string>;
  readonly autoComplete?: string;
}

/** A form with one name. */
export function RenameForm({ label, name, action, write, autoComplete }: RenameFormProps) {
  const problems = problemsOf(write.error, ['name']);
  return (
    <Form
      key={name}
      action={action}
      kind="plain"
      write={{ ...write, mutate: fields => write.mutate(textOf(fields, 'name')) }}
      problems={problems}
    >
      <TextField
        label={label}
        name="name"
        autoComplete={autoComplete}
        maxLength={120}
        required
        defaultValue={name}
        problem={problems.of.name}
      />
    </Form>
  );
}
