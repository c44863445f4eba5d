import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What it does, on the button. */
  readonly action: string;
  readonly busy: boolean;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that can't be taken back. */
export function ConfirmDialog({ title, action, busy, error, onConfirm, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <FormProblem error={error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Go back</Button>
        <Button kind="danger" busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
