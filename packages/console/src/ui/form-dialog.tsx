import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, type FormProps } from './form.tsx';

export interface FormDialogProps extends Omit<FormProps, 'buttons'> {
  readonly title: string;
  /** Stands above the form. */
  readonly lead?: ReactNode;
  readonly onClose: () => void;
}

/** A dialog with one form. */
export const FormDialog = ({ title, lead, onClose, ...form }: FormDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    {lead}
    <Form
      {...form}
      buttons={own => (
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          {own}
        </div>
      )}
    />
  </Dialog>
);
