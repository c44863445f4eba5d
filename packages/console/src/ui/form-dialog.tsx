import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, FormProblem } from './form.tsx';

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
  /** Whether it takes something away, which its button shows. */
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  /** Stands above the form. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with one form. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, write, problems = { rest: write.error }, isDangerous, onClose, lead, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {lead}
      <Form onSubmit={write.mutate}>
        {children}
        <FormProblem error={problems.rest} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" busy={write.isPending}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
