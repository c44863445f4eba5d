import type { ReactNode } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { useOpenPage, type ProjectPage } from '#layout/project-link.tsx';
import { useWrite, type Write } from '#layout/use-write.ts';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import type { FormProps } from '#ui/form.tsx';
import { useClose } from './dialog-button.tsx';
import { FormFields, namesOf, type Fields } from './fields.tsx';

interface DialogWrite<Input, Output> extends Omit<Write<Input, Output>, 'failed'> {
  /** Whether it needs a recent password, which is asked for. */
  readonly isSensitive?: boolean;
  /** The page that it leads to. */
  readonly opens?: ((output: Output) => ProjectPage) | undefined;
  /** What the dialog shows once it is done; without it, or when nothing is returned, the dialog closes. */
  readonly result?: ((output: NonNullable<Output>) => ReactNode) | undefined;
}

/** A change whose dialog closes once it is done. */
export function useDialogWrite<Input, Output>({
  write,
  isSensitive = false,
  opens,
  result,
  onDone,
  ...rest
}: DialogWrite<Input, Output>) {
  const close = useClose();
  const openPage = useOpenPage();
  const withFreshSession = useFreshSession();
  return useWrite<Input, Output>({
    ...rest,
    write: async input => (isSensitive ? withFreshSession(() => write(input)) : write(input)),
    onDone: (output, input) => {
      if (!result || output === undefined) close();
      if (opens) openPage(opens(output));
      onDone?.(output, input);
    },
  });
}

interface WriteDialogProps<Output> extends DialogWrite<FormData, Output>, Pick<FormProps, 'action' | 'kind'> {
  readonly title: string;
  /** Stands above the form. */
  readonly lead?: ReactNode;
  readonly fields?: Fields;
  /** What the fields begin with, by their names. */
  readonly values?: object | undefined;
  /** The field that a refusal is about, by the beginning of its code. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** Whether its button waits for what the form needs. */
  readonly isWaiting?: boolean;
  /** Stands below the fields. */
  readonly children?: ReactNode;
}

/** A dialog with a form, of which each field shows what the service finds wrong with it. */
export function WriteDialog<Output>({
  title,
  lead,
  action,
  kind,
  fields = [],
  values = {},
  refusals,
  isWaiting = false,
  children,
  ...write
}: WriteDialogProps<Output>) {
  const onClose = useClose();
  const save = useDialogWrite(write);
  if (save.data && write.result) return write.result(save.data);
  const problems = problemsOf(save.error, namesOf(fields), refusals);
  return (
    <FormDialog
      title={title}
      lead={typeof lead === 'string' ? <p className="muted">{lead}</p> : lead}
      action={action}
      {...(kind && { kind })}
      write={{ ...save, isPending: save.isPending || isWaiting }}
      problems={problems}
      onClose={onClose}
    >
      <FormFields of={fields} problems={problems.of} values={{ ...values }} />
      {children}
    </FormDialog>
  );
}

/** The words of a dialog that creates a record, or changes one. */
export const wordsOf = (noun: string, isNew: boolean) =>
  isNew
    ? { title: `New ${noun}`, action: `Create the ${noun}`, done: `The ${noun} is created` }
    : { title: `Edit the ${noun}`, action: 'Save', done: `The ${noun} is changed` };

interface ConfirmWriteProps<Output> extends Omit<DialogWrite<void, Output>, 'result'> {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  readonly isHarmless?: boolean;
  readonly children: ReactNode;
}

/** Asks before a change that has consequences, and says which. */
export function ConfirmWrite<Output>({
  title,
  action,
  isHarmless = false,
  children,
  ...write
}: ConfirmWriteProps<Output>) {
  const onClose = useClose();
  const change = useDialogWrite<void, Output>(write);
  return (
    <ConfirmDialog title={title} action={action} isHarmless={isHarmless} write={change} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}
