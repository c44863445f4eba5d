import { readFile, writeFile } from 'node:fs/promises';
import { withAttacksTable } from './attacks-table.ts';
import { DASHBOARD_PAGES } from './dashboard-pages.ts';
import { dashboardJson } from './dashboards.ts';
import { eventsPage } from './events-page.ts';

const docs = new URL('../../../docs/', import.meta.url);
const security = new URL('security.md', docs);

await writeFile(new URL('events.md', docs), eventsPage());
await writeFile(security, await withAttacksTable(await readFile(security, 'utf8')));
const dashboards = new URL('../../../deploy/grafana/dashboards/', import.meta.url);
for (const page of DASHBOARD_PAGES) await writeFile(new URL(`${page.id}.json`, dashboards), dashboardJson(page));
