import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  /** Whether it takes nothing away; otherwise its button warns. */
  readonly isHarmless?: boolean;
  readonly write: { readonly isPending: boolean; readonly error: unknown; readonly mutate: () => void };
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that has consequences, and says which. The reader begins on a field, or on the way back. */
export function ConfirmDialog({ title, action, isHarmless = false, write, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <FormProblem error={write.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Go back</Button>
        <Button kind={isHarmless ? 'primary' : 'danger'} busy={write.isPending} onClick={() => write.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
