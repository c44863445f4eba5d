import { TextField } from '#ui/field.tsx';
import { FormDialog, type FormDialogProps } from '#ui/form-dialog.tsx';
import { passwordOf } from '#ui/form.tsx';

interface PasswordDialogProps extends Pick<FormDialogProps, 'title' | 'action' | 'onClose' | 'children'> {
  readonly write: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly mutate: (password: string) => void;
  };
}

/** Asks for the password with which something is done. */
export function PasswordDialog({ write, children, ...dialog }: PasswordDialogProps) {
  return (
    <FormDialog
      {...dialog}
      lead={<p className="muted">{children}</p>}
      write={{ ...write, mutate: fields => write.mutate(passwordOf(fields, 'password')) }}
    >
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
    </FormDialog>
  );
}
