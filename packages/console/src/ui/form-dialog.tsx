import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Form, FormActions, FormProblem } from './form.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  readonly busy: boolean;
  /** Why it was refused, unless a field shows that. */
  readonly error: unknown;
  readonly onSubmit: (fields: FormData) => void;
  readonly onClose: () => void;
  /** Stands above the form. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with one form. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, busy, error, onSubmit, onClose, lead, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {lead}
      <Form onSubmit={onSubmit}>
        {children}
        <FormProblem error={error} />
        <FormActions busy={busy} onClose={onClose}>
          {action}
        </FormActions>
      </Form>
    </Dialog>
  );
}
