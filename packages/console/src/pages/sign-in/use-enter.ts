import { useNavigate, useSearch } from '@tanstack/react-router';
import { queryClient } from '#api/client.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { safePath } from './safe-path.ts';

/** Returns a function that goes on to where the reader was heading, with nothing left of an earlier session. */
export function useEnter() {
  const navigate = useNavigate();
  const { from } = useSearch({ strict: false });
  return async () => {
    queryClient.clear();
    tellOtherTabs();
    await navigate({ href: safePath(from) ?? '/', replace: true });
  };
}
