import { useId, useState, type KeyboardEvent } from 'react';
import { describeFailure } from '#api/failure.ts';
import { Dialog } from '#ui/dialog.tsx';
import { Icon } from '#ui/icon.tsx';
import { useOpenPage } from './project-link.tsx';
import { useCommands, type Command } from './use-commands.ts';

/** Finds pages, customers, products and invoices by a few letters, and records by their ids, here and at Stripe. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { commands, isSearching, error } = useCommands(text.trim());
  const open = useOpenPage();
  const listId = useId();
  const at = Math.min(chosen, commands.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    open(command.page, command.search);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((at + step + commands.length) % Math.max(1, commands.length));
    else if (event.key === 'Enter') run(commands[at]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={commands[at] && `${listId}-${at}`}
        aria-label="Search pages, customers, products, invoice numbers and ids"
        placeholder="A page, a customer, an invoice number, an id…"
        // The reader opened the palette to type.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={text}
        onChange={event => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label="Results" className="palette-results">
        {commands.map(({ id, title, note, icon }, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={id}
            id={`${listId}-${index}`}
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
