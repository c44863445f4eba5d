import { useState, type ReactNode } from 'react';
import { Open } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { useWrite, type Write } from './use-write.ts';

interface SwitchButtonProps extends Pick<Write<boolean, unknown>, 'write' | 'stale' | 'done'> {
  /** What it is, in the middle of a sentence. */
  readonly noun: string;
  readonly isActive: boolean;
  /** What switching it off is called. */
  readonly off: string;
  readonly small?: boolean;
  /** What switching it off means. */
  readonly children: ReactNode;
}

/** Switches a record off, once that is confirmed, or activates it again. */
export function SwitchButton({ noun, isActive, off, small = false, children, ...write }: SwitchButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const change = useWrite({
    ...write,
    // The dialog shows why, where there is one.
    ...(!isActive && { failed: `The ${noun} was not activated.` }),
    onDone: close,
  });
  const set = { ...change, mutate: () => change.mutate(!isActive) };
  return (
    <>
      <Button small={small} busy={!isActive && set.isPending} onClick={() => (isActive ? setOpen(true) : set.mutate())}>
        {isActive ? off : 'Activate'}
      </Button>
      {isOpen && (
        <Open onClose={close}>
          <ConfirmDialog title={`${off} the ${noun}`} action={off} write={set} onClose={close}>
            {children}
          </ConfirmDialog>
        </Open>
      )}
    </>
  );
}
