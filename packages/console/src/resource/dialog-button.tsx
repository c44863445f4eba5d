import { createContext, Suspense, use, useState, type ComponentProps, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '#ui/button.tsx';

const Close = createContext(() => {});

/** Returns what closes the dialog that the caller is a part of. */
export const useClose = (): (() => void) => use(Close);

/** Shows a dialog of the frame, which has one at a time. */
export const ShowDialog = createContext<(dialog: ReactNode) => void>(() => {});

/** Returns what shows a dialog that stays when the page, or the row, that has opened it goes away. */
export const useShowDialog = (): ((dialog: ReactNode) => void) => use(ShowDialog);

interface OpenProps {
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * An open dialog, whose parts close it by `useClose`; it may have to be loaded first. It has no style of the place that opens it,
 * such as a table.
 */
export const Open = ({ onClose, children }: OpenProps) =>
  createPortal(
    <Suspense>
      <Close value={onClose}>{children}</Close>
    </Suspense>,
    document.body,
  );

interface DialogButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  readonly dialog: ReactNode;
}

/**
 * A button that opens a dialog, which goes away with it: what is shown only once needs `useDialog` or `useCreate`, and what the
 * page may take away meanwhile `FrameDialogButton`.
 */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && <Open onClose={() => setOpen(false)}>{dialog}</Open>}
    </>
  );
}

/** A button that opens a dialog of the frame, which stays as it was opened when the button goes away. */
export function FrameDialogButton({ dialog, ...button }: DialogButtonProps) {
  const show = useShowDialog();
  return <Button {...button} onClick={() => show(dialog)} />;
}

/** Returns what opens a dialog about an item, and the dialog, which stays when what has opened it goes away. */
export function useDialog<Item>(dialogOf: (item: Item) => ReactNode) {
  const [shown, setShown] = useState<{ readonly item: Item }>();
  return {
    open: (item: Item) => setShown({ item }),
    dialog: shown && <Open onClose={() => setShown(undefined)}>{dialogOf(shown.item)}</Open>,
  };
}

/**
 * Returns the button of a page that creates a record, to stand in several places, and the dialog that it opens. The dialog
 * stays where the page has it, also when the place of the button goes away.
 */
export function useCreate(title: string, dialog: ReactNode, isOpenAtFirst = false) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return {
    button: (
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        {title}
      </Button>
    ),
    dialog: isOpen && <Open onClose={() => setOpen(false)}>{dialog}</Open>,
  };
}
