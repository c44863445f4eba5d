import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { hasCode } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { featuresQuery, productsQuery } from '#api/queries.ts';
import { useDebounced } from '#ui/debounced.ts';
import type { IconName } from '#ui/icon.tsx';
import { findRecords, MAX_RESULTS } from './find-records.ts';
import { NAV, NAV_GROUPS } from './nav.ts';
import type { Place } from './project-link.tsx';
import { useOfferedPages } from './use-offered-pages.ts';
import { useVerbs } from './use-verbs.tsx';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly icon: IconName;
}

/** What the palette opens. */
export interface Found extends Shown, Place {}

/** What the palette does. */
export interface Verb extends Shown {
  /** Other words by which it is found. */
  readonly words?: string;
  readonly run: () => void;
}

const MIN_SEARCH = 2;

interface Commands {
  readonly commands: readonly (Found | Verb)[];
  readonly isSearching: boolean;
  /** Why records could not be searched. */
  readonly error: unknown;
}

/** Returns the pages, verbs and records that a text names; `show` shows the dialog of a verb. */
export function useCommands(text: string, show: (dialog: ReactNode) => void): Commands {
  const scope = useProject();
  const isOffered = useOfferedPages();
  const verbs = useVerbs(show);
  const search = useDebounced(text, 150);
  const isWanted = search.length >= MIN_SEARCH;
  const {
    data: found = [],
    error,
    isFetching,
  } = useQuery({
    queryKey: scope.key('palette', search),
    queryFn: ({ signal }) => findRecords(scope, search, signal),
    enabled: isWanted,
  });
  const { data: products = [] } = useQuery({ ...productsQuery(scope), enabled: text !== '' });
  const { data: features = [] } = useQuery({ ...featuresQuery(scope), enabled: text !== '' });

  const typed = text.toLowerCase().split(/\s+/);
  /** Whether something is called by every word of the text. */
  const isNamed = ({ title, words = '' }: Pick<Verb, 'title' | 'words'>) =>
    typed.every(word => `${title} ${words}`.toLowerCase().includes(word));
  const pages = [NAV, ...NAV_GROUPS.map(({ items }) => items)].flat().filter(isOffered);
  const commands = [
    ...(text === '' ? verbs : []),
    ...pages.filter(isNamed).map(({ page, title, icon }): Found => ({ id: page, page, title, icon, note: '' })),
    ...(text === '' ? [] : verbs.filter(isNamed)),
    ...(search === text && isWanted ? found : []),
    ...(text === '' ? [] : products)
      .filter(
        ({ id, name, processorProductId }) => isNamed({ title: name }) || processorProductId === text || id === text,
      )
      .slice(0, MAX_RESULTS)
      .map(({ id, name }): Found => ({ id, page: `products/${id}`, title: name, note: 'Product', icon: 'products' })),
    ...(text === '' ? [] : features)
      .filter(({ id, key, name }) => isNamed({ title: name }) || key.startsWith(text) || id === text)
      .slice(0, MAX_RESULTS)
      .map(({ key, name }): Found => ({
        id: key,
        page: `features/${key}`,
        title: name,
        note: 'Feature',
        icon: 'features',
      })),
  ];
  // What looks like an id, and can't be one, names nothing.
  const failure = hasCode(error, 'validation_error') ? null : error;
  return { commands, isSearching: isFetching || search !== text, error: failure };
}
