import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { describeFailure } from '#api/failure.ts';
import { Dialog } from '#ui/dialog.tsx';
import { Icon } from '#ui/icon.tsx';
import { useOpenPage } from './project-link.tsx';
import { useCommands, type Found, type Verb } from './use-commands.ts';

interface CommandPaletteProps {
  readonly onClose: () => void;
  /** Shows the dialog of what is to be done. */
  readonly onShow: (dialog: ReactNode) => void;
}

/**
 * Finds pages, what can be done, customers, products and invoices by a few letters, and records by their ids, here and at
 * Stripe.
 */
export function CommandPalette({ onClose, onShow }: CommandPaletteProps) {
  const [text, setText] = useState('');
  /** The id of what the arrow keys chose, which stays chosen when more is found above it. */
  const [chosen, setChosen] = useState<string>();
  const { commands, isSearching, error } = useCommands(text.trim(), onShow);
  const open = useOpenPage();
  const listId = useId();
  const at = Math.max(
    0,
    commands.findIndex(({ id }) => id === chosen),
  );

  const run = (command: Found | Verb | undefined) => {
    if (!command) return;
    // A dialog that it opens gives the focus back to where it is without the palette.
    flushSync(onClose);
    if ('run' in command) command.run();
    else open(command.page, command.search);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(commands.at((at + step) % commands.length)?.id);
    else if (event.key === 'Enter') run(commands[at]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={commands[at] && `${listId}-${at}`}
        aria-label="Search pages, actions, customers, products, invoice numbers and ids"
        placeholder="A page, an action, a customer, an id…"
        // The reader opened the palette to type.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={text}
        onChange={event => {
          setText(event.target.value);
          setChosen(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label="Results" className="palette-results">
        {commands.map(({ id, title, note, icon }, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={id}
            id={`${listId}-${index}`}
            ref={option => {
              if (index === at) option?.scrollIntoView({ block: 'nearest' });
            }}
            role="option"
            aria-selected={index === at}
            className={index === at ? 'menu-item chosen' : 'menu-item'}
            onClick={() => run(commands[index])}
          >
            <Icon name={icon} />
            <span className="grow truncate" dir="auto">
              {title}
            </span>
            <span className="muted small truncate" dir="auto">
              {note}
            </span>
          </div>
        ))}
      </div>
      <p className="muted small palette-status" role="status">
        {error && !isSearching
          ? `Customers and invoices could not be searched. ${describeFailure(error).message}`
          : commands.length > 0
            ? ''
            : isSearching
              ? 'Searching…'
              : 'Nothing found.'}
      </p>
    </Dialog>
  );
}
