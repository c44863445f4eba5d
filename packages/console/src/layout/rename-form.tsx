import type { UseMutationResult } from '@tanstack/react-query';
import { problemsOf } from '#api/failure.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';

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
    <Form key={name} onSubmit={fields => write.mutate(textOf(fields, 'name'))}>
      <TextField
        label={label}
        name="name"
        autoComplete={autoComplete}
        maxLength={120}
        required
        defaultValue={name}
        problem={problems.of.name}
      />
      <FormProblem error={problems.rest} />
      <div>
        <Button type="submit" busy={write.isPending}>
          {action}
        </Button>
      </div>
    </Form>
  );
}
