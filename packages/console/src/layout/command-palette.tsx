import { useQuery } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { customerTitle } from '#api/customer-names.ts';
import { useIsOwner, useProject } from '#api/project.ts';
import { productsQuery } from '#api/queries.ts';
import { useDebounced } from '#ui/debounced.ts';
import { Dialog } from '#ui/dialog.tsx';
import { Icon, type IconName } from '#ui/icon.tsx';
import { NAV } from './nav.ts';
import { useOpenPage, type ProjectPage } from './project-link.tsx';

interface Command {
  readonly page: ProjectPage;
  readonly title: string;
  readonly note: string;
  readonly icon: IconName;
}

const MIN_SEARCH = 2;

/** Finds pages, customers and products by a few letters. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = useCommands(text.trim());
  const open = useOpenPage();
  const listId = useId();
  const at = Math.min(chosen, commands.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    open(command.page);
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
        aria-label="Search pages, customers and products"
        placeholder="A page, a customer, a product…"
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
        {commands.map(({ page, title, note, icon }, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={page}
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
      <p className="muted small" role="status">
        {commands.length === 0 ? 'Nothing found.' : ''}
      </p>
    </Dialog>
  );
}

function useCommands(text: string): readonly Command[] {
  const scope = useProject();
  const isOwner = useIsOwner();
  const search = useDebounced(text, 150);
  const { data: customers } = useQuery({
    queryKey: scope.key('customers', { search }, 'palette'),
    queryFn: ({ signal }) => scope.billing.customers.list({ search, limit: 6 }, { signal }).page(),
    enabled: search.length >= MIN_SEARCH,
  });
  const { data: products = [] } = useQuery({ ...productsQuery(scope), enabled: text !== '' });

  const contains = (title: string) => title.toLowerCase().includes(text.toLowerCase());
  const pages = NAV.flatMap(({ items }) => items).filter(({ forOwners }) => isOwner || !forOwners);
  return [
    ...pages.filter(({ title }) => contains(title)).map(({ page, title, icon }) => ({ page, title, icon, note: '' })),
    ...(text.length >= MIN_SEARCH ? (customers?.items ?? []) : []).map(customer => ({
      page: `customers/${customer.id}` as const,
      title: customerTitle(customer),
      note: customer.name ? (customer.email ?? '') : '',
      icon: 'customers' as const,
    })),
    ...(text === '' ? [] : products)
      .filter(({ name }) => contains(name))
      .slice(0, 6)
      .map(({ id, name }) => ({
        page: `products/${id}` as const,
        title: name,
        note: 'Product',
        icon: 'products' as const,
      })),
  ];
}
