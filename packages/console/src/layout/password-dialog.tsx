import type { ReactNode } from 'react';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { passwordOf } from '#ui/form.tsx';

interface PasswordDialogProps {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  readonly write: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (password: string) => void;
  };
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for the password with which something is done. */
export function PasswordDialog({ title, action, write, onClose, children }: PasswordDialogProps) {
  return (
    <FormDialog
      title={title}
      lead={<p className="muted">{children}</p>}
      action={action}
      write={{ ...write, mutate: fields => write.mutate(passwordOf(fields, 'password')) }}
      onClose={onClose}
    >
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
    </FormDialog>
  );
}
