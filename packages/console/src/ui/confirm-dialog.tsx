import { FormDialog, type FormDialogProps } from './form-dialog.tsx';

interface ConfirmDialogProps extends Pick<FormDialogProps, 'title' | 'action' | 'onClose' | 'children'> {
  /** Whether it takes nothing away; otherwise its button warns. */
  readonly isHarmless?: boolean;
  readonly write: { readonly isPending: boolean; readonly error: unknown; readonly mutate: () => void };
}

/** Asks before something that has consequences, and says which. The reader begins on the way back. */
export const ConfirmDialog = ({ isHarmless = false, write, children, ...dialog }: ConfirmDialogProps) => (
  <FormDialog {...dialog} kind={isHarmless ? 'primary' : 'danger'} write={{ ...write, mutate: () => write.mutate() }}>
    <div>{children}</div>
  </FormDialog>
);
