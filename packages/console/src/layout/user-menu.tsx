import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { auth } from '#api/auth.ts';
import { forgetOtherTeams, sessionQuery } from '#api/client.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { firstLetter } from '#ui/first-letter.ts';
import { Icon } from '#ui/icon.tsx';
import { Menu } from '#ui/menu.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { forgetLastProject } from './last-project.ts';
import { applyScheme, chosenScheme, SCHEMES, type Scheme } from './scheme.ts';

const SCHEME_NAMES = { system: 'Colors of the system', light: 'Light', dark: 'Dark' } as const;

/** Ends the session. The page is loaded anew, so that nothing of this person stays in memory. */
async function signOut() {
  await auth.signOut();
  forgetOtherTeams();
  forgetLastProject();
  tellOtherTabs();
  location.assign('/sign-in');
}

export function UserMenu() {
  const { data } = useQuery(sessionQuery);
  const [scheme, setScheme] = useState(chosenScheme);
  const toasts = useToasts();
  const choose = (next: Scheme) => {
    applyScheme(next);
    setScheme(next);
  };
  return (
    <Menu
      placement="up"
      button={attributes => (
        <button {...attributes} className="switcher">
          <span className="avatar round" aria-hidden="true">
            {firstLetter(data?.user.name)}
          </span>
          <span className="names">
            <span className="truncate" dir="auto">
              {data?.user.name}
            </span>
            <span className="truncate">{data?.user.email}</span>
          </span>
          <span className="visually-hidden">Your account</span>
        </button>
      )}
    >
      <Link to="/account" className="menu-item">
        <Icon name="settings" />
        Your account
      </Link>
      <a href="/docs" className="menu-item" target="_blank" rel="noopener">
        <Icon name="book" />
        API reference
      </a>
      <hr />
      {SCHEMES.map(name => (
        <button
          key={name}
          type="button"
          className="menu-item"
          onClick={() => choose(name)}
          aria-pressed={scheme === name}
        >
          <Icon name={name === 'dark' ? 'moon' : 'sun'} />
          <span className="grow">{SCHEME_NAMES[name]}</span>
          {scheme === name && <Icon name="check" />}
        </button>
      ))}
      <hr />
      <button
        type="button"
        className="menu-item"
        onClick={() => void signOut().catch((error: unknown) => toasts.failed('You are still signed in.', error))}
      >
        <Icon name="signOut" />
        Sign out
      </button>
    </Menu>
  );
}
