import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Form, FormActions, FormProblem } from './form.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  readonly write: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (fields: FormData) => void;
  };
  /** Its error without what the fields show of it; needless where no field does. */
  readonly problems?: { readonly rest: unknown };
  readonly onClose: () => void;
  /** Stands above the form. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with one form. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, write, problems = { rest: write.error }, onClose, lead, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {lead}
      <Form onSubmit={write.mutate}>
        {children}
        <FormProblem error={problems.rest} />
        <FormActions busy={write.isPending} onClose={onClose}>
          {action}
        </FormActions>
      </Form>
    </Dialog>
  );
}
