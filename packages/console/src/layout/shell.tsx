import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { useProject, useProjectDetails } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { ShowDialog, useDialog } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { Icon } from '#ui/icon.tsx';
import { CommandPalette } from './command-palette.tsx';
import { FreshSessionProvider } from './fresh-session.tsx';
import { saveLastProject } from './last-project.ts';
import { Navigation } from './navigation.tsx';
import { PendingPage } from './page-states.tsx';
import { PALETTE_KEYS, ShortcutSheet, useShortcuts } from './shortcuts.tsx';
import { TeamSwitcher } from './team-switcher.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page of a project. */
export function Shell() {
  const scope = useProject();
  const { teamId, projectId } = scope;
  const project = useProjectDetails();
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const { open: show, dialog } = useDialog((shown: ReactNode) => shown);
  const { data: connection } = useQuery(processorQuery(scope));
  useShortcuts({ onPalette: () => setPaletteOpen(true), onSheet: () => show(<ShortcutSheet />) });

  useEffect(() => saveLastProject(teamId, projectId), [teamId, projectId]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setMenuOpen(false);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <FreshSessionProvider>
      <div className="app">
        <a className="button primary skip" href="#content">
          Skip to the content
        </a>
        <header className="topbar">
          <Button
            kind="quiet"
            icon="menu"
            aria-label="Menu"
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(!menuOpen)}
          />
          <strong className="grow truncate" dir="auto">
            {project.name}
          </strong>
          <Button kind="quiet" icon="search" aria-label="Search" onClick={() => setPaletteOpen(true)} />
        </header>
        <aside className={menuOpen ? 'sidebar open' : 'sidebar'} aria-label="Navigation">
          <TeamSwitcher />
          <button type="button" className="search-button" onClick={() => setPaletteOpen(true)}>
            <Icon name="search" />
            Search
            <kbd aria-hidden="true">{PALETTE_KEYS}</kbd>
          </button>
          <Navigation onOpen={() => setMenuOpen(false)} />
          <UserMenu />
        </aside>
        {/* By keyboard, Escape does the same. */}
        {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        {menuOpen && <div className="drawer-backdrop" onClick={() => setMenuOpen(false)} />}
        <div className="main">
          <main id="content" tabIndex={-1}>
            {connection?.processor?.livemode === false && (
              <div className="test-strip">
                {connection.isLocal ? 'Test mode, with a local stand-in for Stripe' : 'Test mode: no real money moves'}
              </div>
            )}
            <Suspense
              // Another project begins anew: not even a placeholder of this one stays.
              key={`${teamId}/${projectId}`}
              fallback={<PendingPage />}
            >
              <ShowDialog value={show}>
                <Outlet />
              </ShowDialog>
            </Suspense>
          </main>
        </div>
        {paletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} onShow={show} />}
        {dialog}
      </div>
    </FreshSessionProvider>
  );
}
