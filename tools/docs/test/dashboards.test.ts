import { readFile, readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { DASHBOARD_PAGES } from '../src/dashboard-pages.ts';
import { dashboardJson } from '../src/dashboards.ts';

const folder = new URL('../../../deploy/grafana/dashboards/', import.meta.url);

it('match deploy/grafana/dashboards; after a change of the pages run `npm run docs`', async () => {
  expect(await readdir(folder)).toEqual(DASHBOARD_PAGES.map(({ id }) => `${id}.json`).toSorted());
  for (const page of DASHBOARD_PAGES)
    expect(await readFile(new URL(`${page.id}.json`, folder), 'utf8')).toBe(dashboardJson(page));
});

it('has at most eight queries in a panel, and no place twice', () => {
  for (const { panels } of DASHBOARD_PAGES.map(page => JSON.parse(dashboardJson(page)))) {
    const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    for (const { targets } of panels) expect(targets.every(({ refId }: { refId: string }) => refId !== '')).toBe(true);
  }
});
