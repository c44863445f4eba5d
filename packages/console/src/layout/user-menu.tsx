import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auth } from '#api/auth.ts';
import { forgetOtherTeams, sessionQuery } from '#api/client.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { Icon } from '#ui/icon.tsx';
import { Menu } from '#ui/menu.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { forgetLastProject } from './last-project.ts';
import { applyScheme, chosenScheme, SCHEMES } from './scheme.ts';

const SCHEME_NAMES = { system: 'Colors of the system', light: 'Light', dark: 'Dark' } as const;

/** Returns what ends the session. The page is loaded anew, so that nothing of this person stays in memory. */
export function useSignOut(): () => void {
  const toasts = useToasts();
  const signOut = async () => {
    await auth.signOut();
    forgetOtherTeams();
    forgetLastProject();
    tellOtherTabs();
    location.assign('/sign-in');
  };
  return () => void signOut().catch((error: unknown) => toasts.failed('You are still signed in.', error));
}

export function UserMenu() {
  const { data } = useQuery(sessionQuery);
  const signOut = useSignOut();
  return (
    <Menu name={data?.user.name} detail={data?.user.email} label="Your account" isPersonal>
      <Link to="/account" className="menu-item">
        <Icon name="settings" />
        Your account
      </Link>
      <a href="/docs" className="menu-item" target="_blank" rel="noopener">
        <Icon name="book" />
        API reference
      </a>
      <hr />
      <SchemeChoices />
      <hr />
      <button type="button" className="menu-item" onClick={signOut}>
        <Icon name="signOut" />
        Sign out
      </button>
    </Menu>
  );
}

/** The menu closes with a choice, and shows the chosen one when it opens again. */
function SchemeChoices() {
  const chosen = chosenScheme();
  return SCHEMES.map(name => (
    <button
      key={name}
      type="button"
      className="menu-item"
      onClick={() => applyScheme(name)}
      aria-pressed={chosen === name}
    >
      <Icon name={name === 'dark' ? 'moon' : 'sun'} />
      <span className="grow">{SCHEME_NAMES[name]}</span>
      {chosen === name && <Icon name="check" />}
    </button>
  ));
}
